/* SPDX-License-Identifier: BSD-3-Clause */
/* Two plugins that differ in nothing but where their construct stands. */
int plugin_work(int n);

int plugin_work(int n)
{
    int sum = 0;
#ifdef ONE
#pragma omp parallel num_threads(2) reduction(+ : sum) /* place: one parallel */
    sum += n;
#else
#pragma omp parallel num_threads(2) reduction(+ : sum) /* place: two parallel */
    sum += n;
#endif
    return sum;
}
