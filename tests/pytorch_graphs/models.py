"""PyTorch models, small, of many kinds: each function returns a loss.

Read next: tests/pytorch_graphs/passes.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MODELS: dict[str, Callable[[Any], Any]] = {}


def model(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    MODELS[make.__name__] = make
    return make


@model
def seed(torch):
    a, b, d = (torch.tensor(x, requires_grad=True) for x in (2.0, 3.0, 10.0))
    return a * b + torch.log(d) * a


@model
def mlp(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 4))
    return nn.functional.cross_entropy(net(torch.randn(5, 8)), torch.tensor([0, 1, 2, 3, 0]))


@model
def mlp_with_dropout(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Dropout(0.3), nn.Linear(16, 1))
    return net(torch.randn(5, 8)).square().mean()


@model
def conv_net(torch):
    nn = torch.nn
    net = nn.Sequential(
        nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(4, 8, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(8, 10),
    )  # fmt: skip
    return nn.functional.cross_entropy(net(torch.randn(2, 3, 12, 12)), torch.tensor([3, 7]))


@model
def conv_net_in_one_dimension(torch):
    nn = torch.nn
    net = nn.Sequential(
        nn.Conv1d(2, 4, 3), nn.SiLU(), nn.AvgPool1d(2), nn.Flatten(), nn.Linear(12, 1)
    )
    return net(torch.randn(3, 2, 8)).sum()


@model
def residual_net(torch):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
            self.norm1 = nn.BatchNorm2d(width)
            self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
            self.norm2 = nn.BatchNorm2d(width)

        def forward(self, x):
            h = self.norm1(self.conv1(x)).relu()
            return (self.norm2(self.conv2(h)) + x).relu()

    net = nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), *[Block(6) for _ in range(4)])
    return net(torch.randn(2, 3, 8, 8)).mean()


@model
def encoder_layer(torch):
    return torch.nn.TransformerEncoderLayer(8, 2, 16)(torch.randn(5, 3, 8)).square().sum()


@model
def decoder_layer(torch):
    layer = torch.nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0)
    return layer(torch.randn(4, 2, 8), torch.randn(5, 2, 8)).sum()


@model
def small_gpt(torch):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            q, k, v = self.qkv(self.norm1(x)).chunk(3, -1)
            y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y)
            return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

    embed, head = nn.Embedding(11, 12), nn.Linear(12, 11)
    tokens = torch.arange(14).reshape(2, 7) % 11
    h = nn.Sequential(Block(12), Block(12))(embed(tokens))
    return nn.functional.cross_entropy(head(h).flatten(0, 1), tokens.flatten())


@model
def llama_block(torch):
    nn = torch.nn
    width = 8
    x = torch.randn(2, 5, width)
    gate, up, down = (nn.Linear(width, width, bias=False) for _ in range(3))
    norm = nn.RMSNorm(width)
    angles = torch.arange(5)[:, None] / torch.tensor([1.0, 10.0, 100.0, 1000.0])
    q = nn.Linear(width, width, bias=False)(norm(x)).unflatten(-1, (-1, 2))
    even, odd = q.unbind(-1)
    turned = torch.stack(
        (even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos()), -1
    ).flatten(-2)
    x = x + turned
    return (x + down(nn.functional.silu(gate(norm(x))) * up(norm(x)))).pow(2).mean()


@model
def lstm(torch):
    return torch.nn.LSTM(3, 4, num_layers=2)(torch.randn(5, 2, 3))[0].square().sum()


@model
def lstm_cell(torch):
    cell = torch.nn.LSTMCell(3, 4)
    h = c = torch.zeros(2, 4)
    for x in torch.randn(4, 2, 3):
        h, c = cell(x, (h, c))
    return h.sum()


@model
def gru(torch):
    return torch.nn.GRU(3, 4)(torch.randn(5, 2, 3))[0].sum()


@model
def rnn_by_hand(torch):
    W, U = torch.randn(4, 4, requires_grad=True), torch.randn(4, 3, requires_grad=True)
    h = torch.zeros(4)
    for x in torch.randn(6, 3):
        h = torch.tanh(W @ h + U @ x)
    return h.square().sum()


@model
def u_net(torch):
    nn = torch.nn
    down = nn.Conv2d(1, 4, 3, padding=1)
    low = nn.Conv2d(4, 8, 3, padding=1)
    up = nn.ConvTranspose2d(8, 4, 2, stride=2)
    out = nn.Conv2d(8, 1, 1)
    x = torch.randn(1, 1, 8, 8)
    a = down(x).relu()
    b = up(low(nn.functional.max_pool2d(a, 2)).relu())
    return nn.functional.binary_cross_entropy_with_logits(out(torch.cat((a, b), 1)), x.sigmoid())


@model
def variational_autoencoder(torch):
    nn = torch.nn
    encode, decode = nn.Linear(6, 4), nn.Linear(2, 6)
    x = torch.rand(3, 6)
    mean, log_variance = encode(x).chunk(2, -1)
    z = mean + torch.randn(3, 2) * (0.5 * log_variance).exp()
    likelihood = nn.functional.binary_cross_entropy_with_logits(decode(z), x)
    return likelihood - 0.5 * (1 + log_variance - mean**2 - log_variance.exp()).mean()


@model
def policy_gradient(torch):
    net = torch.nn.Linear(4, 3)
    scores = net(torch.randn(5, 4)).log_softmax(-1)
    return -(scores.gather(1, torch.tensor([[0], [1], [2], [1], [0]])) * torch.randn(5, 1)).mean()


@model
def tied_weights(torch):
    embed = torch.nn.Embedding(7, 5)
    h = embed(torch.tensor([1, 2, 3])).tanh()
    return torch.nn.functional.cross_entropy(h @ embed.weight.T, torch.tensor([2, 3, 4]))


@model
def graph_net(torch):
    x, W = torch.randn(5, 3), torch.randn(3, 3, requires_grad=True)
    start, end = torch.tensor([0, 1, 2, 3, 4, 0]), torch.tensor([1, 2, 3, 4, 0, 2])
    h = x @ W
    return torch.zeros(5, 3).index_add(0, end, h[start]).relu().sum()


@model
def einsum(torch):
    a, b = torch.randn(2, 3, 4, requires_grad=True), torch.randn(2, 4, 5, requires_grad=True)
    return torch.einsum("bij,bjk->bik", a, b).amax(-1).sum()


@model
def custom_function(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 3 * x**2 * grad

    x = torch.randn(4, requires_grad=True)
    return (Cube.apply(x) + x).sum()


@model
def written_in_parts(torch):
    x = torch.randn(4, 3, requires_grad=True)
    z = x * 2
    z[0] = z[1].exp()
    z[2].mul_(3)
    return z.sum()


@model
def double_backward(torch):
    x = torch.randn(4, requires_grad=True)
    (grad,) = torch.autograd.grad((x**3).sin().sum(), x, create_graph=True)
    return grad.square().sum()


@model
def half_precision(torch):
    net = torch.nn.Linear(4, 4).to(torch.bfloat16)
    return net(torch.randn(3, 4, dtype=torch.bfloat16)).float().square().mean()


@model
def complex_numbers(torch):
    x = torch.randn(8, requires_grad=True)
    return torch.fft.rfft(x).abs().sum()


@model
def many_leaves_of_one_node(torch):
    leaves = [torch.randn(3, requires_grad=True) for _ in range(17)]
    return torch.stack(leaves).sum() + torch.cat(leaves[:9]).prod()
