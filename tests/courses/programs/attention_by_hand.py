"""Attention from its parts, as courses on sequences build it: masks, heads, positions, a small decoder."""

import math

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(11)


def masked_softmax(scores, lengths):
    """Softmax over the first `lengths` keys of each row."""
    if lengths is None:
        return F.softmax(scores, dim=-1)
    keys = torch.arange(scores.size(-1))
    lengths = (
        lengths.repeat_interleave(scores.size(1)) if lengths.dim() == 1 else lengths.reshape(-1)
    )
    flat = scores.reshape(-1, scores.size(-1))
    flat = flat.masked_fill(keys[None, :] >= lengths[:, None], -1e6)
    return F.softmax(flat.reshape(scores.shape), dim=-1)


print(masked_softmax(torch.rand(2, 2, 4), torch.tensor([2, 3])))
print(masked_softmax(torch.rand(2, 2, 4), torch.tensor([[1, 3], [2, 4]])))


class AdditiveAttention(nn.Module):
    def __init__(self, hidden, dropout):
        super().__init__()
        self.key = nn.LazyLinear(hidden, bias=False)
        self.query = nn.LazyLinear(hidden, bias=False)
        self.score = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, lengths):
        features = torch.tanh(self.query(queries).unsqueeze(2) + self.key(keys).unsqueeze(1))
        self.weights = masked_softmax(self.score(features).squeeze(-1), lengths)
        return torch.bmm(self.dropout(self.weights), values)


queries, keys = torch.normal(0, 1, (2, 1, 20)), torch.normal(0, 1, (2, 10, 2))
values = torch.normal(0, 1, (2, 10, 4))
additive = AdditiveAttention(8, 0.1)
print(additive)
additive.eval()
out = additive(queries, keys, values, torch.tensor([2, 6]))
print(out, out.shape, additive.weights)
print({name: tuple(p.shape) for name, p in additive.named_parameters()})


class DotProductAttention(nn.Module):
    def forward(self, q, k, v, lengths=None):
        self.weights = masked_softmax(q @ k.transpose(1, 2) / math.sqrt(q.shape[-1]), lengths)
        return self.weights @ v


dot = DotProductAttention()
q = torch.normal(0, 1, (2, 1, 2))
print(dot(q, keys, values, torch.tensor([2, 6])))
print(
    torch.allclose(dot(q, keys, values), F.scaled_dot_product_attention(q, keys, values), atol=1e-6)
)


class MultiHead(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.heads, self.attention = heads, DotProductAttention()
        self.w_q, self.w_k, self.w_v, self.w_o = (
            nn.Linear(hidden, hidden, bias=False) for _ in range(4)
        )

    def split(self, x):
        x = x.reshape(x.shape[0], x.shape[1], self.heads, -1).permute(0, 2, 1, 3)
        return x.reshape(-1, x.shape[2], x.shape[3])

    def join(self, x):
        x = x.reshape(-1, self.heads, x.shape[1], x.shape[2]).permute(0, 2, 1, 3)
        return x.reshape(x.shape[0], x.shape[1], -1)

    def forward(self, q, k, v, lengths=None):
        if lengths is not None:
            lengths = torch.repeat_interleave(lengths, repeats=self.heads, dim=0)
        parts = self.split(self.w_q(q)), self.split(self.w_k(k)), self.split(self.w_v(v))
        return self.w_o(self.join(self.attention(*parts, lengths)))


many = MultiHead(12, 3)
X, Y = torch.rand(2, 4, 12), torch.rand(2, 6, 12)
result = many(X, Y, Y, torch.tensor([3, 2]))
print(result.shape, result[0, 0])
result.sum().backward()
print([p.grad.norm() for p in many.parameters()])


class Positions(nn.Module):
    def __init__(self, hidden, most=50):
        super().__init__()
        table = torch.zeros((1, most, hidden))
        place = torch.arange(most, dtype=torch.float32).reshape(-1, 1)
        angle = place / torch.pow(10000, torch.arange(0, hidden, 2, dtype=torch.float32) / hidden)
        table[:, :, 0::2], table[:, :, 1::2] = torch.sin(angle), torch.cos(angle)
        self.register_buffer("table", table, persistent=False)

    def forward(self, x):
        return x + self.table[:, : x.shape[1], :].to(x.device)


positions = Positions(8)
print(
    positions(torch.zeros(1, 3, 8)),
    list(positions.state_dict()),
    list(positions.buffers())[0].shape,
)


class Block(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.attention = MultiHead(hidden, heads)
        self.feed = nn.Sequential(
            nn.Linear(hidden, 2 * hidden), nn.GELU(), nn.Linear(2 * hidden, hidden)
        )

    def forward(self, x):
        length = x.shape[1]
        causal = torch.arange(1, length + 1).repeat(x.shape[0], 1)
        x = self.norm1(x + self.attention(x, x, x, causal))
        return self.norm2(x + self.feed(x))


class Decoder(nn.Module):
    def __init__(self, words, hidden, heads, layers):
        super().__init__()
        self.embed, self.place = nn.Embedding(words, hidden), Positions(hidden)
        self.blocks = nn.Sequential()
        for i in range(layers):
            self.blocks.add_module(f"block{i}", Block(hidden, heads))
        self.head = nn.Linear(hidden, words)

    def forward(self, tokens):
        return self.head(self.blocks(self.place(self.embed(tokens) * math.sqrt(12))))


model = Decoder(9, 12, 3, 2)
print(model, sum(p.numel() for p in model.parameters() if p.requires_grad))
tokens = torch.tensor([[1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1]])
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.01)
for epoch in range(6):
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.reshape(-1, 9), tokens[:, 1:].reshape(-1))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}, norm {norm:.2f}")
with torch.no_grad():
    sequence = tokens[:1, :2]
    for _ in range(3):
        following = model(sequence)[:, -1].argmax(-1, keepdim=True)
        sequence = torch.cat([sequence, following], dim=1)
    print(sequence, sequence.tolist())
mask = torch.triu(torch.full((4, 4), float("-inf")), diagonal=1)
print(mask, F.softmax(torch.zeros(4, 4) + mask, dim=-1))
lower = torch.tril(torch.ones(4, 4)).view(1, 1, 4, 4)
print(lower.bool().logical_not()[0, 0], (lower == 0).sum().item())
