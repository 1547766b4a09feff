// SPDX-License-Identifier: BSD-3-Clause
// Methods, templates, lambdas, and an exception that passes all of them.
#include <semaphore.h>

#include <functional>
#include <stdexcept>
#include <vector>

#define NOINLINE __attribute__((noinline))

static sem_t semaphore;
static volatile int sink;

namespace shapes
{

struct Shape {
    virtual ~Shape() = default;
    virtual void draw(int n) const = 0;
};

struct Circle : Shape {
    NOINLINE void draw(int n) const override
    {
        sem_post(&semaphore);
        if (n > 1)
            throw std::runtime_error("too large");
        sink = sink + n;
    }
};

template <typename Number> NOINLINE void each(const std::vector<Number> &all, const Shape &shape)
{
    for (Number n : all) {
        shape.draw(static_cast<int>(n));
        sink = sink + 1;
    }
}

} // namespace shapes

static NOINLINE void call(const std::function<void(int)> &function)
{
    function(1);
    sink = sink + 1;
}

int main()
{
    sem_init(&semaphore, 0, 0);
    shapes::Circle circle;
    shapes::each(std::vector<long>{0, 1}, circle);
    try {
        shapes::each(std::vector<short>{2}, circle);
    } catch (const std::runtime_error &) {
        sink = 1;
    }
    call([&circle](int n) { circle.draw(n); });
    return 0;
}
