"""Random numbers: the same as in PyTorch for the same seed, from the Mersenne Twister.

A uniform float is 24 bits of one draw, a double 53 bits of two; normal numbers come in pairs from
the Box-Muller transform, from 16 numbers on in blocks of 16.

Source: PyTorch, aten/src/ATen/core/DistributionsHelper.h and native/cpu/DistributionTemplates.h.

Read next: tensor/creation.py
"""

import math
from threading import RLock
from typing import Any

import numpy as np

from graphlab.common.devices import CPU, check_device
from graphlab.common.public import mark, public
from graphlab.tensor.random import box_muller, draws, fused
from graphlab.tensor.tensor import Tensor, wrap

STATE = np.dtype(  # how PyTorch lays out the state of a stream; the key is the Mersenne Twister's
    {
        "names": ["seed", "left", "seeded", "next", "key", "normal", "has_normal"],
        "formats": ["u8", "i4", "i4", "u8", ("u8", 624), "f8", "i4"],
        "offsets": [0, 8, 12, 16, 24, 5024, 5040],
        "itemsize": 5056,
    }
)
LOCK = RLock()
DEFAULT_SEED = 67280421310721  # PyTorch's; unseeded runs draw the same numbers
LOW_24, PER_24 = np.uint32((1 << 24) - 1), np.float32(2**-24)


@public()
class Generator:
    """A stream of random numbers that starts at a seed.

    >>> Generator().manual_seed(0).initial_seed()
    0
    """

    __module__ = "torch._C"  # PyTorch shows <torch._C.Generator object at ...>

    def __init__(self, device: Any = "cpu") -> None:
        check_device(device)
        self.device = CPU
        self._source: Any = None  # what the stream takes its bits from
        self.manual_seed(DEFAULT_SEED)

    def manual_seed(self, seed: int) -> "Generator":
        """Start again at `seed`, so that the same numbers follow.

        Raises: RuntimeError for anything but an integer, ValueError for more than 64 bits.
        """
        if not isinstance(seed, int | np.integer):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(1 << 63) <= seed < 1 << 64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = int(seed) % (1 << 64)
        self._stream: Any = None  # made at the first draw: numpy.random takes 10 ms to import
        self._second_normal: float | None = None
        return self

    def __reduce__(self) -> Any:
        return (generator_at, (self.get_state(),))

    def initial_seed(self) -> int:
        return self._seed

    def seed(self) -> int:
        """Start at an unpredictable seed, and return it."""
        fresh = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        self.manual_seed(fresh)
        return fresh

    def get_state(self) -> Any:
        """Return the state, as PyTorch stores it: a tensor of 5056 bytes."""
        _, key, position, *_ = self._begin().get_state()
        record = np.zeros((), STATE)
        fresh = position == 624  # all 624 numbers of a round are used up, or none was made
        record["seed"], record["seeded"], record["key"] = self._seed, 1, key
        record["left"], record["next"] = (1, 0) if fresh else (625 - position, position)
        if self._second_normal is not None:
            record["normal"], record["has_normal"] = self._second_normal, 1
        return wrap(np.frombuffer(record.tobytes(), np.uint8).copy(), False, None)

    def set_state(self, new_state: Any) -> "Generator":
        """Go on from the state of another generator.

        Raises: TypeError or RuntimeError for other tensors.
        """
        if not isinstance(new_state, Tensor):
            raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
        if new_state._data.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if new_state.numel() != STATE.itemsize:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {STATE.itemsize} but found the input "
                f"RNG state size to be {new_state.numel()}"
            )
        record = np.frombuffer(new_state._data.tobytes(), STATE)[0]
        self.manual_seed(int(record["seed"]))
        position = int(record["next"]) if record["left"] != 1 else 624
        self._begin().set_state(("MT19937", record["key"].astype(np.uint32), position))
        self._second_normal = float(record["normal"]) if record["has_normal"] else None
        return self

    def clone_state(self) -> "Generator":
        """Return another generator in the same state."""
        return Generator().set_state(self.get_state())

    def place(self) -> tuple[Any, ...]:
        """Return the position in the stream; it changes with every draw."""
        if (stream := self._stream) is None:
            return self._seed, None
        _, key, position, *_ = stream.get_state()
        return self._seed, key.tobytes(), position, self._second_normal

    def return_to(self, place: tuple[Any, ...]) -> None:
        """Go back to a position, so that the same numbers follow."""
        self.manual_seed(place[0])
        if place[1] is not None:
            _, key, position, self._second_normal = place
            self._begin().set_state(("MT19937", np.frombuffer(key, np.uint32), position))

    def _begin(self) -> Any:
        """Return the stream; at any time another thread may start again, with another one."""
        if (stream := self._stream) is not None:
            return stream
        with LOCK:
            if (stream := self._stream) is None:
                self._source = self._source or np.random.MT19937()  # one takes 60 us to make
                stream = np.random.RandomState(self._source)
                stream.seed(self._seed & 0xFFFFFFFF)
                self._stream = stream
            return stream

    def bits(self, n: int, wide: bool = False) -> np.ndarray:
        """Draw n numbers of 32 random bits, or 64 if `wide`, as uint64."""
        self._begin()
        if self is default_generator:
            draws.count += 1
        if not wide:
            return self._source.random_raw(n)
        high, low = self._source.random_raw(2 * n).reshape(n, 2).T
        return (high << np.uint64(32)) | low

    def uniform(self, n: int, double: bool = False) -> np.ndarray:
        """Draw n numbers in [0, 1): float32 from 24 bits each, or float64 from 53."""
        if double:
            draws = self.bits(n, wide=True) & np.uint64((1 << 53) - 1)
            return draws.astype(np.float64) * 2.0**-53
        draws = self.bits(n).astype(np.uint32) & LOW_24
        return draws.astype(np.float32) * PER_24

    def normal(self, n: int, double: bool = False) -> np.ndarray:
        """Draw n numbers with mean 0 and standard deviation 1, as float32 or float64."""
        kind: Any = np.float64 if double else np.float32
        if n >= 16:
            return self._normal_blocks(n, double)
        return np.array(self._few_normal(n), dtype=kind)

    def _few_normal(self, n: int) -> list[float]:
        """Draw n normal numbers, two from each pair of uniform ones; a second one may be left."""
        kept = self._second_normal
        found = [] if kept is None or not n else [kept]
        draws = self.uniform(n - len(found) + (n - len(found)) % 2, double=True).tolist()
        for u1, u2 in zip(draws[::2], draws[1::2], strict=True):
            radius, angle = math.sqrt(-2.0 * math.log1p(-u2)), 2.0 * math.pi * u1
            found += [radius * math.cos(angle), radius * math.sin(angle)]
        if n:
            self._second_normal = found[n] if len(found) > n else None
        return found[:n]

    def _normal_blocks(self, n: int, double: bool) -> np.ndarray:
        if n % 16 == 0:
            return box_muller(self.uniform(n, double))
        values = self.uniform(n + 16, double)  # the last 16 are drawn anew
        values = box_muller(np.concatenate([values[: n - n % 16], values[n:]]))
        return np.concatenate([values[: n - 16], values[-16:]])

    def uniform_between(self, low: float, high: float, n: int, double: bool) -> np.ndarray:
        """Draw n numbers in [low, high), as `uniform_` does."""
        if double:
            return self.uniform(n, double) * (high - low) + low
        kind = np.float32  # product and sum are rounded once, as one machine instruction does it
        width, first = float(kind(high) - kind(low)), float(kind(low))
        return (self.uniform(n).astype(np.float64) * width + first).astype(kind)

    def normal_around(self, mean: float, std: float, n: int, double: bool) -> np.ndarray:
        """Draw n normal numbers with a mean and standard deviation, as `normal_` does."""
        kind: Any = np.float64 if double else np.float32
        if n >= 16:
            blocks = self._normal_blocks(n, double)
            if double:
                return (blocks.astype(np.longdouble) * std + mean).astype(kind)  # rounded once
            return fused(blocks.astype(np.float64), float(kind(std)), float(kind(mean)))
        return np.array([x * std + mean for x in self._few_normal(n)], dtype=kind)

    def exponential(self, rate: float, n: int) -> np.ndarray:
        """Draw n numbers of an exponential distribution, float64: -log(1 - u) / rate."""
        logs = [math.log1p(-u) for u in self.uniform(n, double=True).tolist()]
        return -1 / rate * np.array(logs)  # NumPy's log1p differs in the last digit

    def poisson(self, rate: float) -> int:
        """Draw a number of events where `rate` are expected.

        Source: W. Hörmann, The transformed rejection method for generating Poisson random
        variables, 1993, as PyTorch has it; below 10, products of uniform numbers.
        """
        if rate < 10:
            bound, product, count = math.exp(-rate), 1.0, -1
            while (rate and product > bound) or count < 0:
                product *= self._one() if rate else 0
                count += 1
            return count
        b = 0.931 + 2.53 * math.sqrt(rate)
        a = -0.059 + 0.02483 * b
        inverse, high = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2)
        while True:
            u, v = self._one() - 0.5, self._one()
            us = 0.5 - abs(u)
            k = math.floor((2 * a / us + b) * u + rate + 0.43)
            if us >= 0.07 and v <= high:
                return k
            if k < 0 or (us < 0.013 and v > us):
                continue
            left = math.log(v) + math.log(inverse) - math.log(a / (us * us) + b)
            if left <= -rate + k * math.log(rate) - math.lgamma(k + 1):
                return k

    def binomial(self, count: float, prob: float) -> float:
        """Draw a number of successes in `count` trials, each with probability `prob`.

        Source: W. Hörmann, The generation of binomial random variates, 1993 (BTRS), as PyTorch has
        it; where less than 10 are expected, the trials up to the next success are drawn.
        """
        if math.isnan(count * prob):
            return math.nan
        if count <= 0 or prob <= 0 or prob >= 1:
            return count if count > 0 and prob >= 1 else 0.0
        if prob > 0.5:
            return count - self.binomial(count, 1 - prob)
        if count * prob < 10:
            trials, successes, log_failure = 0, 0, math.log1p(-prob)
            while (trials := trials + math.ceil(math.log(self._one()) / log_failure)) <= count:
                successes += 1
            return float(successes)
        spread = math.sqrt(count * prob * (1 - prob))
        b = 1.15 + 2.53 * spread
        a = -0.0873 + 0.0248 * b + 0.01 * prob
        odds, most = prob / (1 - prob), math.floor((count + 1) * prob)
        alpha = (2.83 + 5.1 / b) * spread
        while True:
            u, v = self._one() - 0.5, self._one()
            us = 0.5 - abs(u)
            k = math.floor((2 * a / us + b) * u + count * prob + 0.5)
            if not 0 <= k <= count:
                continue
            if us >= 0.07 and v <= 0.92 - 4.2 / b:
                return float(k)
            bound = (
                (most + 0.5) * math.log((most + 1) / (odds * (count - most + 1)))
                + (count + 1) * math.log((count - most + 1) / (count - k + 1))
                + (k + 0.5) * math.log(odds * (count - k + 1) / (k + 1))
                + _tail(most) + _tail(count - most) - _tail(k) - _tail(count - k)
            )  # fmt: skip
            if math.log(v * alpha / (a / (us * us) + b)) <= bound:
                return float(k)

    def gamma(self, a: float) -> float:
        """Draw a number of the gamma distribution of concentration a and rate 1.

        Source: G. Marsaglia and W. W. Tsang, A simple method for generating gamma variables, 2000,
        as PyTorch has it.
        """
        if a < 1:
            return 0.0 if a == 0 else (1 - self._one()) ** (1 / a) * self.gamma(a + 1)
        d = a - float(np.float32(1) / np.float32(3))
        c = 1 / math.sqrt(9 * d)
        while True:
            (x,) = self._few_normal(1)
            if (y := 1 + c * x) <= 0:
                continue
            v, square, u = y * y * y, x * x, 1 - self._one()
            if u < 1 - float(np.float32(0.0331)) * square * square:
                return d * v
            if math.log(u) < 0.5 * square + d * (1 - v + math.log(v)):
                return d * v

    def _one(self) -> float:
        return float(self.uniform(1, double=True)[0])

    def integers(self, low: int, high: int, n: int) -> np.ndarray:
        """Draw n integers in [low, high)."""
        width = high - low
        draws = self.bits(n, wide=width >= 1 << 32)
        return (draws % np.uint64(width)).astype(np.int64) + low

    def permutation(self, n: int) -> list[int]:
        """Draw a permutation of 0 to n - 1, as `randperm` does."""
        order = list(range(n))
        for i, draw in enumerate(self.bits(max(n - 1, 0)).tolist()):
            j = i + draw % (n - i)
            order[i], order[j] = order[j], order[i]
        return order


def generator_at(state: Any) -> Generator:
    """Return a generator in a state of `get_state`; pickle and copy call it."""
    return Generator().set_state(state)


default_generator = Generator()


@public()
def manual_seed(seed: Any) -> Generator:
    """Seed the default generator with `seed`, and return it.

    >>> _ = torch.manual_seed(0)
    >>> torch.randn(2)
    tensor([ 1.5410, -0.2934])
    """
    try:
        return default_generator.manual_seed(int(seed))
    except (TypeError, ValueError) as error:
        raise type(error)(*error.args) from None


@public()
def initial_seed() -> int:
    """Return the seed that the default generator started from.

    >>> _ = torch.manual_seed(3)
    >>> torch.initial_seed()
    3
    """
    return default_generator.initial_seed()


@public()
def seed() -> int:
    """Seed the default generator with an unpredictable number, and return the number.

    >>> torch.seed() == torch.initial_seed()
    True
    """
    return default_generator.seed()


@public()
def get_rng_state() -> Tensor:
    """Return the state of the default generator, a tensor of 5056 bytes.

    >>> torch.get_rng_state().shape
    torch.Size([5056])
    """
    return default_generator.get_state()


@public()
def set_rng_state(new_state: Tensor) -> None:
    """Put the default generator back into a state that `get_rng_state` returned.

    new_state: a tensor of 5056 bytes.

    >>> state = torch.get_rng_state()
    >>> first = torch.rand(1)
    >>> torch.set_rng_state(state)
    >>> torch.equal(torch.rand(1), first)
    True
    """
    default_generator.set_state(new_state)


mark("default_generator")


def _tail(k: float) -> float:
    """Return what Stirling's formula leaves out of log k!."""
    return math.lgamma(k + 1) - (k + 0.5) * math.log(k + 1) + (k + 1) - math.log(math.tau) / 2
