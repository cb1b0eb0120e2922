"""A small language model by hand: masked heads, blocks with residuals, training, sampling."""

import torch
import torch.nn as nn
from torch.nn import functional as F

torch.manual_seed(1337)
batch_size, block_size, n_embd, n_head, n_layer, dropout = 4, 8, 16, 4, 2, 0.1
text = "the sea is calm, the sky is clear, and the ship sails on to the far shore. " * 6
chars = sorted(set(text))
vocab_size = len(chars)
stoi = {ch: i for i, ch in enumerate(chars)}
itos = dict(enumerate(chars))
data = torch.tensor([stoi[c] for c in text], dtype=torch.long)
n = int(0.9 * len(data))
train_data, val_data = data[:n], data[n:]


def get_batch(split):
    data = train_data if split == "train" else val_data
    ix = torch.randint(len(data) - block_size, (batch_size,))
    x = torch.stack([data[i : i + block_size] for i in ix])
    y = torch.stack([data[i + 1 : i + block_size + 1] for i in ix])
    return x, y


class Head(nn.Module):
    def __init__(self, head_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        _, T, C = x.shape
        wei = self.query(x) @ self.key(x).transpose(-2, -1) * C**-0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        wei = self.dropout(F.softmax(wei, dim=-1))
        return wei @ self.value(x)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList([Head(n_embd // n_head) for _ in range(n_head)])
        self.proj = nn.Linear(n_embd, n_embd)
        wide = 4 * n_embd
        self.ffwd = nn.Sequential(nn.Linear(n_embd, wide), nn.ReLU(), nn.Linear(wide, n_embd))
        self.ln1, self.ln2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)

    def forward(self, x):
        normed = self.ln1(x)
        x = x + self.proj(torch.cat([h(normed) for h in self.heads], dim=-1))
        return x + self.ffwd(self.ln2(x))


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.token_embedding_table = nn.Embedding(vocab_size, n_embd)
        self.position_embedding_table = nn.Embedding(block_size, n_embd)
        self.blocks = nn.Sequential(*[Block() for _ in range(n_layer)])
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab_size)
        self.apply(self._init_weights)

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.2)
            if module.bias is not None:
                torch.nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.2)

    def forward(self, idx, targets=None):
        B, T = idx.shape
        x = self.token_embedding_table(idx) + self.position_embedding_table(torch.arange(T))
        logits = self.lm_head(self.ln_f(self.blocks(x)))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.view(B * T, -1), targets.view(B * T))

    def generate(self, idx, max_new_tokens):
        for _ in range(max_new_tokens):
            logits, _ = self(idx[:, -block_size:])
            probs = F.softmax(logits[:, -1, :], dim=-1)
            idx = torch.cat((idx, torch.multinomial(probs, num_samples=1)), dim=1)
        return idx


@torch.no_grad()
def estimate_loss(model):
    model.eval()
    out = {
        s: torch.stack([model(*get_batch(s))[1] for _ in range(4)]).mean() for s in ("train", "val")
    }
    model.train()
    return out


tril = torch.tril(torch.ones(3, 3))
print(tril / tril.sum(1, keepdim=True), torch.zeros(3, 3).masked_fill(tril == 0, float("-inf")))
model = LanguageModel()
print(sum(p.numel() for p in model.parameters()), model.blocks[0].heads[0])
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
for step in range(31):
    if step % 10 == 0:
        print(step, {k: round(v.item(), 2) for k, v in estimate_loss(model).items()})
    logits, loss = model(*get_batch("train"))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
print(logits.shape, loss, model.blocks[1].heads[3].key.weight.grad.norm())
model.eval()
context = torch.zeros((1, 1), dtype=torch.long)
print("".join(itos[i] for i in model.generate(context, max_new_tokens=12)[0].tolist()))
