/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program may tell spur of itself: regions, parameters and metrics of its own, and when to
 * record. For C11 and C++11 and later; docs/control.md has examples, also for Fortran.
 *
 *     #include <spur/spur.h>
 *
 *     static struct spur_user_region solve = SPUR_USER_REGION("solve");
 *
 *     spur_user_enter(&solve);
 *     ...
 *     spur_user_leave(&solve);
 *
 * There is nothing to link with: without the agent every call is a test of an address and nothing
 * else, and the same program runs with and without spur. All functions may be called by any thread
 * at any time, also in signal handlers; none fails, changes errno, or keeps a pointer but that of
 * the object (region, parameter, metric), which is static and never freed. Its members behind the
 * first ones are the agent's.
 *
 * What is recorded: Enter and Leave of paradigm USER; ParameterString, ParameterInt and
 * ParameterUnsignedInt; Metric of a class of its own, asynchronous; MeasurementOnOff.
 */
#ifndef SPUR_SPUR_H
#define SPUR_SPUR_H

#ifdef __cplusplus
extern "C" {
#endif

/* A part of the program. Regions of one name, file and line are one. */
struct spur_user_region {
    const char *name;
    const char *file;
    unsigned line;
    unsigned id; /* the agent's */
};
#define SPUR_USER_REGION(name_)                                                                    \
    {                                                                                              \
        name_, __FILE__, __LINE__, 0                                                               \
    }

/* A value that tells visits of a region apart: the number of the iteration, the name of a file. */
struct spur_user_parameter {
    const char *name;
    unsigned id[3]; /* the agent's, by type */
};
#define SPUR_USER_PARAMETER(name_)                                                                 \
    {                                                                                              \
        name_,                                                                                     \
        {                                                                                          \
            0, 0, 0                                                                                \
        }                                                                                          \
    }

/* How the values of a metric follow one another. */
enum spur_user_mode {
    SPUR_USER_POINT,   /* each is what it is at that time: a residual */
    SPUR_USER_COUNTER, /* each is the sum since the start, and never falls: bytes so far */
    SPUR_USER_SINCE    /* each is what has come since the last one: bytes of this step */
};

/* A number that changes over time. `unit` as a user reads it: "s", "bytes", "#" for a count. */
struct spur_user_metric {
    const char *name;
    const char *unit;
    int mode;       /* enum spur_user_mode */
    unsigned id[3]; /* the agent's, by type */
};
#define SPUR_USER_METRIC(name_, unit_, mode_)                                                      \
    {                                                                                              \
        name_, unit_, mode_,                                                                       \
        {                                                                                          \
            0, 0, 0                                                                                \
        }                                                                                          \
    }

/* What the agent offers; members are only ever added. Not for direct use. */
struct spur_user_interface {
    unsigned bytes;
    void (*enter)(struct spur_user_region *region);
    void (*leave)(struct spur_user_region *region);
    void (*parameter_int)(struct spur_user_parameter *parameter, long long value);
    void (*parameter_uint)(struct spur_user_parameter *parameter, unsigned long long value);
    void (*parameter_string)(struct spur_user_parameter *parameter, const char *value);
    void (*metric_int)(struct spur_user_metric *metric, long long value);
    void (*metric_uint)(struct spur_user_metric *metric, unsigned long long value);
    void (*metric_double)(struct spur_user_metric *metric, double value);
    void (*record)(int on);
    int (*is_recording)(void);
};
extern const struct spur_user_interface spur_user_interface __attribute__((weak));

/*
 * With -finstrument-functions these functions would be regions themselves, and what they enter
 * would be left when they return.
 */
#define SPUR_USER_INLINE_ static inline __attribute__((no_instrument_function))

/*
 * NULL without the agent. The linker of a program at a fixed address would decide that at once; it
 * leaves an address that is taken from the global offset table to the loader.
 */
SPUR_USER_INLINE_ const struct spur_user_interface *spur_user_agent(void)
{
#if defined(__x86_64__)
    const struct spur_user_interface *agent;
    __asm__(".weak spur_user_interface\n\tmovq spur_user_interface@GOTPCREL(%%rip), %0"
            : "=r"(agent));
    return agent;
#else
    return &spur_user_interface;
#endif
}

#define SPUR_USER_CALL_(function, arguments)                                                       \
    const struct spur_user_interface *const agent = spur_user_agent();                             \
    if (agent)                                                                                     \
    agent->function arguments

/* Regions nest per thread. A region is left with those inside of it that were forgotten. */
SPUR_USER_INLINE_ void spur_user_enter(struct spur_user_region *region)
{
    SPUR_USER_CALL_(enter, (region));
}

/* Of a region that the thread has not entered: nothing. */
SPUR_USER_INLINE_ void spur_user_leave(struct spur_user_region *region)
{
    SPUR_USER_CALL_(leave, (region));
}

/* The innermost open region has this value of the parameter; after the region is entered. */
SPUR_USER_INLINE_ void spur_user_parameter_int(struct spur_user_parameter *parameter,
                                               long long value)
{
    SPUR_USER_CALL_(parameter_int, (parameter, value));
}

SPUR_USER_INLINE_ void spur_user_parameter_uint(struct spur_user_parameter *parameter,
                                                unsigned long long value)
{
    SPUR_USER_CALL_(parameter_uint, (parameter, value));
}

/* The value is copied. */
SPUR_USER_INLINE_ void spur_user_parameter_string(struct spur_user_parameter *parameter,
                                                  const char *value)
{
    SPUR_USER_CALL_(parameter_string, (parameter, value));
}

/* The metric's value of the calling thread, now. Each type makes a metric of its own. */
SPUR_USER_INLINE_ void spur_user_metric_int(struct spur_user_metric *metric, long long value)
{
    SPUR_USER_CALL_(metric_int, (metric, value));
}

SPUR_USER_INLINE_ void spur_user_metric_uint(struct spur_user_metric *metric,
                                             unsigned long long value)
{
    SPUR_USER_CALL_(metric_uint, (metric, value));
}

SPUR_USER_INLINE_ void spur_user_metric_double(struct spur_user_metric *metric, double value)
{
    SPUR_USER_CALL_(metric_double, (metric, value));
}

/* Recording in the whole process, as by MPI_Pcontrol(1) and MPI_Pcontrol(0). */
SPUR_USER_INLINE_ void spur_user_on(void)
{
    SPUR_USER_CALL_(record, (1));
}

SPUR_USER_INLINE_ void spur_user_off(void)
{
    SPUR_USER_CALL_(record, (0));
}

/* Would a call be recorded now? 0 without the agent. */
SPUR_USER_INLINE_ int spur_user_is_recording(void)
{
    const struct spur_user_interface *const agent = spur_user_agent();
    return agent ? agent->is_recording() : 0;
}

#undef SPUR_USER_CALL_
#undef SPUR_USER_INLINE_

#ifdef __cplusplus
}

namespace spur
{

/* The region is open as long as this object lives, whichever way the block is left. */
class scope
{
  public:
    __attribute__((no_instrument_function)) explicit scope(spur_user_region &region)
        : region_(region)
    {
        spur_user_enter(&region_);
    }
    __attribute__((no_instrument_function)) ~scope()
    {
        spur_user_leave(&region_);
    }
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;

  private:
    spur_user_region &region_;
};

} // namespace spur
#endif

#endif
