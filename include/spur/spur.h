/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lets a program tell spur about itself: its own regions, parameters and metrics, and when to
 * record. For C11, C++11 and later. docs/control.md has examples, also for Fortran.
 *
 *     #include <spur/spur.h>
 *
 *     static struct spur_user_region solve = SPUR_USER_REGION("solve");
 *
 *     spur_user_enter(&solve);
 *     ...
 *     spur_user_leave(&solve);
 *
 * The program links with nothing. Without the agent each call only tests an address, and the same
 * program runs with and without spur. Any thread may call any function at any time, even in a
 * signal handler. No function fails or changes errno. spur keeps no pointer except to the object
 * (region, parameter, metric), which must be static and is never freed. The last members of an
 * object belong to the agent.
 *
 * spur records Enter and Leave of paradigm USER; ParameterString, ParameterInt and
 * ParameterUnsignedInt; Metric of an asynchronous class; MeasurementOnOff.
 */
#ifndef SPUR_SPUR_H
#define SPUR_SPUR_H

#ifdef __cplusplus
extern "C" {
#endif

/* A part of the program. Regions with the same name, file and line are one region. */
struct spur_user_region {
    const char *name; /* as shown to users */
    const char *file; /* source file */
    unsigned line;    /* source line */
    unsigned id;      /* belongs to the agent */
};
#define SPUR_USER_REGION(name_)                                                                    \
    {                                                                                              \
        name_, __FILE__, __LINE__, 0                                                               \
    }

/* A value that tells visits of a region apart: the number of an iteration, the name of a file. */
struct spur_user_parameter {
    const char *name; /* as shown to users */
    unsigned id[3];   /* belongs to the agent, by type */
};
#define SPUR_USER_PARAMETER(name_)                                                                 \
    {                                                                                              \
        name_,                                                                                     \
        {                                                                                          \
            0, 0, 0                                                                                \
        }                                                                                          \
    }

/* What the values of a metric mean. */
enum spur_user_mode {
    SPUR_USER_POINT,   /* the value at that time: a residual */
    SPUR_USER_COUNTER, /* the sum since the start, which never falls: bytes so far */
    SPUR_USER_SINCE    /* the increase since the last value: bytes of this step */
};

/* A number that changes over time. */
struct spur_user_metric {
    const char *name; /* as shown to users */
    const char *unit; /* as shown to users: "s", "bytes", "#" for a count */
    int mode;         /* enum spur_user_mode */
    unsigned id[3];   /* belongs to the agent, by type */
};
#define SPUR_USER_METRIC(name_, unit_, mode_)                                                      \
    {                                                                                              \
        name_, unit_, mode_,                                                                       \
        {                                                                                          \
            0, 0, 0                                                                                \
        }                                                                                          \
    }

/* What the agent offers. Members are only ever added. Not for direct use. */
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
 * With -finstrument-functions these functions would be regions themselves, and the regions that
 * they enter would be left when they return.
 */
#define SPUR_USER_INLINE_ static inline __attribute__((no_instrument_function))

/*
 * NULL without the agent. In a program at a fixed address the linker would decide this at once. The
 * loader decides if the address comes from the global offset table.
 */
SPUR_USER_INLINE_ const struct spur_user_interface *spur_user_agent(void)
{
#if defined(__x86_64__)
    const struct spur_user_interface *agent;
    __asm__(".weak spur_user_interface\n\tmovq spur_user_interface@GOTPCREL(%%rip), %0"
            : "=r"(agent));
    return agent;
#elif defined(__riscv)
    const struct spur_user_interface *agent;
    __asm__(".weak spur_user_interface\n\t"
            ".option push\n\t"
            ".option pic\n\t"
            "la %0, spur_user_interface\n\t"
            ".option pop"
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

/* Enters a region. Regions nest per thread. */
SPUR_USER_INLINE_ void spur_user_enter(struct spur_user_region *region)
{
    SPUR_USER_CALL_(enter, (region));
}

/*
 * Leaves a region, and regions inside that were forgotten. Does nothing if the thread has not
 * entered the region.
 */
SPUR_USER_INLINE_ void spur_user_leave(struct spur_user_region *region)
{
    SPUR_USER_CALL_(leave, (region));
}

/* Gives the innermost open region this value of the parameter. To be called after its Enter. */
SPUR_USER_INLINE_ void spur_user_parameter_int(struct spur_user_parameter *parameter,
                                               long long value)
{
    SPUR_USER_CALL_(parameter_int, (parameter, value));
}

/* The same for an unsigned value. */
SPUR_USER_INLINE_ void spur_user_parameter_uint(struct spur_user_parameter *parameter,
                                                unsigned long long value)
{
    SPUR_USER_CALL_(parameter_uint, (parameter, value));
}

/* The same for a text, which is copied. */
SPUR_USER_INLINE_ void spur_user_parameter_string(struct spur_user_parameter *parameter,
                                                  const char *value)
{
    SPUR_USER_CALL_(parameter_string, (parameter, value));
}

/* Records the metric's value of the calling thread, now. Each type makes a metric of its own. */
SPUR_USER_INLINE_ void spur_user_metric_int(struct spur_user_metric *metric, long long value)
{
    SPUR_USER_CALL_(metric_int, (metric, value));
}

/* The same for an unsigned value. */
SPUR_USER_INLINE_ void spur_user_metric_uint(struct spur_user_metric *metric,
                                             unsigned long long value)
{
    SPUR_USER_CALL_(metric_uint, (metric, value));
}

/* The same for a floating-point value. */
SPUR_USER_INLINE_ void spur_user_metric_double(struct spur_user_metric *metric, double value)
{
    SPUR_USER_CALL_(metric_double, (metric, value));
}

/* Resumes recording in the whole process, as MPI_Pcontrol(1) does. */
SPUR_USER_INLINE_ void spur_user_on(void)
{
    SPUR_USER_CALL_(record, (1));
}

/* Pauses recording in the whole process, as MPI_Pcontrol(0) does. */
SPUR_USER_INLINE_ void spur_user_off(void)
{
    SPUR_USER_CALL_(record, (0));
}

/* Returns 1 if a call would be recorded now. Returns 0 without the agent. */
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

/* The region is open as long as this object lives, however the block is left. */
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
