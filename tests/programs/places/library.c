/* SPDX-License-Identifier: BSD-3-Clause */
int library_work(int n);

int library_work(int n)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum) /* place: library parallel */
    sum += n;
    return sum;
}
