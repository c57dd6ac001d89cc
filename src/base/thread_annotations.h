// Names for clang's thread-safety attributes; empty under other compilers.
// The clang build runs with -Werror=thread-safety, so a field that carries BENNU_GUARDED_BY cannot
// be touched without its mutex.
#ifndef BENNU_SRC_BASE_THREAD_ANNOTATIONS_H_
#define BENNU_SRC_BASE_THREAD_ANNOTATIONS_H_

#if defined(__clang__)
#define BENNU_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define BENNU_THREAD_ATTRIBUTE(x)
#endif

#define CAPABILITY(x) BENNU_THREAD_ATTRIBUTE(capability(x))
#define SCOPED_CAPABILITY BENNU_THREAD_ATTRIBUTE(scoped_lockable)
#define GUARDED_BY(x) BENNU_THREAD_ATTRIBUTE(guarded_by(x))
#define PT_GUARDED_BY(x) BENNU_THREAD_ATTRIBUTE(pt_guarded_by(x))
#define REQUIRES(...) BENNU_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) BENNU_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) BENNU_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) BENNU_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS BENNU_THREAD_ATTRIBUTE(no_thread_safety_analysis)

#endif  // BENNU_SRC_BASE_THREAD_ANNOTATIONS_H_
