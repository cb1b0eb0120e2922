"""The same programs train the same models: from one seed, the losses of both libraries agree.

Each program is a lesson of the usual courses, run with `torch` being one library or the other.

Read next: tests/optim/test_optimizers.py
"""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import graphlab

STEPS = 20


def moons(n=60):
    """Two half circles, one in the other: points (n, 2) and their sides, 1 or -1."""
    rng = np.random.default_rng(0)
    angle = np.pi * rng.random(n)
    side = np.where(np.arange(n) % 2, 1.0, -1.0)
    points = np.stack([np.cos(angle), np.sin(angle)], 1) * side[:, None]
    points += np.where(side > 0, 0.0, 1.0)[:, None] * [1.0, 0.5]
    return points + 0.1 * rng.normal(size=(n, 2)), side


def mlp_on_moons(torch):
    """Two layers and a hinge loss with weight decay by hand; SGD whose rate falls."""
    points, sides = moons()
    x = torch.tensor(points, dtype=torch.float32)
    y = torch.tensor(sides, dtype=torch.float32).unsqueeze(1)
    model = torch.nn.Sequential(
        torch.nn.Linear(2, 16),
        torch.nn.ReLU(),
        torch.nn.Linear(16, 16),
        torch.nn.ReLU(),
        torch.nn.Linear(16, 1),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, total_iters=STEPS)
    for _ in range(STEPS):
        scores = model(x)
        data_loss = (1 - y * scores).relu().mean()
        loss = data_loss + 1e-4 * sum((p * p).sum() for p in model.parameters())
        accuracy = ((scores > 0) == (y > 0)).float().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        yield loss.item(), accuracy.item()


def names_with_an_embedding(torch):
    """Three letters say the next: an embedding, batch norm by hand, and a table of scores."""
    torch.manual_seed(1)
    data = torch.tensor(np.random.default_rng(1).integers(0, 27, (200, 4)))
    contexts, targets = data[:, :3], data[:, 3]
    g = torch.Generator().manual_seed(2147483647)
    C = torch.randn((27, 4), generator=g)
    W1 = torch.randn((12, 30), generator=g) * (5 / 3) / 12**0.5
    W2 = torch.randn((30, 27), generator=g) * 0.01
    b2 = torch.randn(27, generator=g) * 0
    gain, offset = torch.ones((1, 30)), torch.zeros((1, 30))
    usual = torch.zeros((1, 30))
    parameters = [C, W1, W2, b2, gain, offset]
    for p in parameters:
        p.requires_grad = True
    for step in range(STEPS):
        batch = torch.randint(0, contexts.shape[0], (32,), generator=g)
        emb = C[contexts[batch]]
        before = emb.view(emb.shape[0], -1) @ W1
        mean, std = before.mean(0, keepdim=True), before.std(0, keepdim=True)
        hidden = torch.tanh(gain * (before - mean) / std + offset)
        with torch.no_grad():
            usual = 0.9 * usual + 0.1 * mean
        loss = torch.nn.functional.cross_entropy(hidden @ W2 + b2, targets[batch])
        for p in parameters:
            p.grad = None
        loss.backward()
        for p in parameters:
            p.data += -(0.1 if step < 15 else 0.01) * p.grad
        yield loss.item(), usual.sum().item()


def small_conv_net(torch):
    """Stripes and blobs: convolutions, batch norm, pooling, Adam, batches from a loader."""
    rng = np.random.default_rng(2)
    pictures = rng.normal(size=(40, 1, 8, 8)) * 0.5
    labels = np.arange(40) % 2
    pictures[labels == 1, :, ::2] += 1.0
    data = torch.utils.data.TensorDataset(
        torch.tensor(pictures, dtype=torch.float32), torch.tensor(labels)
    )
    loader = torch.utils.data.DataLoader(data, batch_size=10, shuffle=True)

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            # no bias: the norm takes it away, and Adam would follow the rounding of its gradient
            self.conv1 = torch.nn.Conv2d(1, 4, 3, padding=1, bias=False)
            self.norm = torch.nn.BatchNorm2d(4)
            self.conv2 = torch.nn.Conv2d(4, 6, 3)
            self.fc = torch.nn.Linear(6, 2)

        def forward(self, x):
            x = torch.nn.functional.max_pool2d(torch.relu(self.norm(self.conv1(x))), 2)
            x = torch.nn.functional.adaptive_avg_pool2d(torch.relu(self.conv2(x)), 1)
            return self.fc(torch.flatten(x, 1))

    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    criterion = torch.nn.CrossEntropyLoss()
    for _ in range(STEPS // 4):
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            yield loss.item(), model.norm.running_mean.sum().item()
    model.eval()
    with torch.no_grad():
        yield criterion(model(data.tensors[0]), data.tensors[1]).item(), 0.0


def lstm_on_waves(torch):
    """What comes next on a wave: an LSTM, a linear layer, RMSprop, clipped values."""
    wave = np.sin(np.linspace(0, 12, 120)).reshape(6, 20, 1)
    x = torch.tensor(wave, dtype=torch.float32)

    class Next(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = torch.nn.LSTM(1, 8, num_layers=2, batch_first=True)
            self.out = torch.nn.Linear(8, 1)

        def forward(self, x):
            hidden, _ = self.lstm(x)
            return self.out(hidden)

    model = Next()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x[:, :-1]), x[:, 1:])
        loss.backward()
        torch.nn.utils.clip_grad_value_(model.parameters(), 0.1)
        optimizer.step()
        yield loss.item(), 0.0


def character_transformer(torch):
    """Letters, one after the other: embeddings of letters and places, an encoder, AdamW."""
    tokens = torch.tensor(np.random.default_rng(3).integers(0, 11, (4, 9)))
    x, y = tokens[:, :-1], tokens[:, 1:]

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.token = torch.nn.Embedding(11, 8)
            self.place = torch.nn.Embedding(8, 8)
            layer = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
            self.blocks = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
            self.head = torch.nn.Linear(8, 11, bias=False)

        def forward(self, x):
            mask = torch.nn.Transformer.generate_square_subsequent_mask(x.shape[1])
            h = self.token(x) + self.place(torch.arange(x.shape[1]))
            return self.head(self.blocks(h, mask=mask, is_causal=True))

    model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.003)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.01, total_steps=STEPS + 1)
    for _ in range(STEPS):
        optimizer.zero_grad()
        scores = model(x)
        loss = torch.nn.functional.cross_entropy(scores.view(-1, 11), y.reshape(-1))
        loss.backward()
        optimizer.step()
        scheduler.step()
        yield loss.item(), optimizer.param_groups[0]["lr"]


def autoencoder_of_lines(torch):
    """Lines through a narrow place and back: LayerNorm, GELU, a transposed convolution, NAdam."""
    x = torch.tensor(np.random.default_rng(4).normal(size=(8, 1, 12)), dtype=torch.float32)
    model = torch.nn.Sequential(
        torch.nn.Conv1d(1, 3, 4, stride=4, bias=False),  # the norm would take it away
        torch.nn.LayerNorm(3),
        torch.nn.GELU(),
        torch.nn.ConvTranspose1d(3, 1, 4, stride=4),
    )
    optimizer = torch.optim.NAdam(model.parameters(), lr=0.02)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = torch.nn.functional.smooth_l1_loss(model(x), x)
        loss.backward()
        optimizer.step()
        yield loss.item(), 0.0


def fit_by_lbfgs(torch):
    """A curve through points, with L-BFGS and a line search."""
    x = torch.linspace(-1, 1, 30).unsqueeze(1)
    y = torch.sin(3 * x)
    model = torch.nn.Sequential(torch.nn.Linear(1, 6), torch.nn.Tanh(), torch.nn.Linear(6, 1))
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=2, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        return loss

    for _ in range(5):
        yield optimizer.step(closure).item(), 0.0


PROGRAMS = [
    mlp_on_moons,
    names_with_an_embedding,
    small_conv_net,
    lstm_on_waves,
    character_transformer,
    autoencoder_of_lines,
    fit_by_lbfgs,
]


def losses(lib, program):
    lib.manual_seed(42)
    return np.array(list(program(lib)))


@pytest.mark.torch
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_the_losses_agree(program, torch):
    ours, theirs = losses(graphlab, program), losses(torch, program)
    # float32: a step multiplies a difference in rounding, which begins at 1e-7
    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_the_loss_falls(program):
    found = losses(graphlab, program)[:, 0]
    assert found[-1] < 0.98 * found[0]


def everything_at_once():
    """A model with hooks, a loader, optimizers, schedules; weak references to all of it."""
    nn, optim = graphlab.nn, graphlab.optim
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
    model.register_full_backward_hook(lambda *given: None)
    model[0].register_forward_hook(lambda *given: None)
    optimizer = optim.Adam(model.parameters(), lr=0.1)
    scheduler = optim.lr_scheduler.CyclicLR(optimizer, 0.01, 0.1, 2)
    data = graphlab.utils.data.TensorDataset(graphlab.randn(12, 4), graphlab.arange(12) % 3)
    for x, y in graphlab.utils.data.DataLoader(data, batch_size=4, shuffle=True):
        loss = nn.CrossEntropyLoss()(model(x.requires_grad_()), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
    recurrent = nn.LSTM(3, 4, bidirectional=True)
    recurrent(graphlab.randn(5, 2, 3))[0].sum().backward()
    attention, q = nn.MultiheadAttention(4, 2), graphlab.randn(3, 2, 4)
    attention(q, q, q)[0].sum().backward()
    newton = optim.LBFGS(recurrent.parameters(), line_search_fn="strong_wolfe")

    def closure():
        newton.zero_grad()
        loss = (recurrent(graphlab.ones(2, 1, 3))[0] ** 2).mean()
        loss.backward()
        return loss

    newton.step(closure)
    made = (model, optimizer, scheduler, loss, recurrent, attention, newton)
    return [weakref.ref(one) for one in made]


def test_a_training_that_is_over_is_freed_at_once_and_leaves_no_cycles():
    everything_at_once()  # what is made once and kept
    gc.collect()
    gc.disable()
    try:
        assert [one() for one in everything_at_once()] == [None] * 7
        assert gc.collect() == 0
    finally:
        gc.enable()
