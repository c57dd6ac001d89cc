// Which sanitizer the program is built with: gcc and clang tell it in different ways.
#ifndef BENNU_SRC_BASE_SANITIZERS_H_
#define BENNU_SRC_BASE_SANITIZERS_H_

namespace bennu {

#if defined(__has_feature)
#define BENNU_HAS_FEATURE(name) __has_feature(name)
#else
#define BENNU_HAS_FEATURE(name) 0
#endif

// Both have a malloc of their own.
#if defined(__SANITIZE_ADDRESS__) || BENNU_HAS_FEATURE(address_sanitizer)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif

#if defined(__SANITIZE_THREAD__) || BENNU_HAS_FEATURE(thread_sanitizer)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

#undef BENNU_HAS_FEATURE

}  // namespace bennu

#endif  // BENNU_SRC_BASE_SANITIZERS_H_
