/* SPDX-License-Identifier: BSD-3-Clause */
/* What a plug-in offers to its host, which knows nothing of MPI. Each returns 0 when all is right.
 */
struct plugin {
    int (*start)(void);
    int (*talk)(int round);
    int (*end)(void);
};
