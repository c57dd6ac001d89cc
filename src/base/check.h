// CHECK: for faults of ours, on in every build. Input and disk content get a Status instead.
#ifndef BENNU_SRC_BASE_CHECK_H_
#define BENNU_SRC_BASE_CHECK_H_

namespace bennu::internal {
[[noreturn]] void CheckFailed(const char* file, int line, const char* expression);
}  // namespace bennu::internal

#define BENNU_CHECK(condition)                       \
  (__builtin_expect(static_cast<bool>(condition), 1) \
       ? static_cast<void>(0)                        \
       : ::bennu::internal::CheckFailed(__FILE__, __LINE__, #condition))

#ifdef NDEBUG
#define BENNU_DCHECK(condition) static_cast<void>(sizeof(!(condition)))
#else
#define BENNU_DCHECK(condition) BENNU_CHECK(condition)
#endif

#endif  // BENNU_SRC_BASE_CHECK_H_
