"""Low-rank adapters from scratch: layers replaced inside a frozen model, its classifier tuned with few parameters."""

import copy
import math

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(123)
CONFIG = {"vocab_size": 128, "context_length": 24, "emb_dim": 96, "n_heads": 4, "n_layers": 3}


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
        self.d_out, self.num_heads, self.head_dim = d_out, num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        mask = torch.triu(torch.ones(context_length, context_length), diagonal=1)
        self.register_buffer("mask", mask)

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        parts = [W(x) for W in (self.W_key, self.W_query, self.W_value)]
        parts = [p.view(b, num_tokens, self.num_heads, self.head_dim) for p in parts]
        keys, queries, values = [p.transpose(1, 2) for p in parts]
        attn_scores = queries @ keys.transpose(2, 3)
        mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
        attn_scores.masked_fill_(mask_bool, -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        context_vec = (self.dropout(attn_weights) @ values).transpose(1, 2)
        return self.out_proj(context_vec.contiguous().view(b, num_tokens, self.d_out))


class LayerNorm(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.eps = 1e-5
        self.scale = nn.Parameter(torch.ones(emb_dim))
        self.shift = nn.Parameter(torch.zeros(emb_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, keepdim=True, unbiased=False)
        return self.scale * ((x - mean) / torch.sqrt(var + self.eps)) + self.shift


class GELU(nn.Module):
    def forward(self, x):
        inner = torch.sqrt(torch.tensor(2.0 / torch.pi)) * (x + 0.044715 * torch.pow(x, 3))
        return 0.5 * x * (1 + torch.tanh(inner))


class TransformerBlock(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        dim = cfg["emb_dim"]
        self.att = MultiHeadAttention(dim, dim, cfg["context_length"], 0.0, cfg["n_heads"], True)
        self.ff = nn.Sequential(nn.Linear(dim, 4 * dim), GELU(), nn.Linear(4 * dim, dim))
        self.norm1, self.norm2 = LayerNorm(dim), LayerNorm(dim)

    def forward(self, x):
        x = self.att(self.norm1(x)) + x
        return self.ff(self.norm2(x)) + x


class GPTModel(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok_emb = nn.Embedding(cfg["vocab_size"], cfg["emb_dim"])
        self.pos_emb = nn.Embedding(cfg["context_length"], cfg["emb_dim"])
        self.trf_blocks = nn.Sequential(*[TransformerBlock(cfg) for _ in range(cfg["n_layers"])])
        self.final_norm = LayerNorm(cfg["emb_dim"])
        self.out_head = nn.Linear(cfg["emb_dim"], cfg["vocab_size"], bias=False)

    def forward(self, in_idx):
        batch_size, seq_len = in_idx.shape
        pos_embeds = self.pos_emb(torch.arange(seq_len, device=in_idx.device))
        x = self.tok_emb(in_idx) + pos_embeds
        return self.out_head(self.final_norm(self.trf_blocks(x)))


class SpamDataset(Dataset):
    def __init__(self, messages, max_length=None, pad_token_id=0):
        self.labels = [label for label, _ in messages]
        encoded = [[ord(c) for c in text] for _, text in messages]
        self.max_length = max_length or max(len(e) for e in encoded)
        encoded = [e[: self.max_length] for e in encoded]
        self.encoded_texts = [e + [pad_token_id] * (self.max_length - len(e)) for e in encoded]

    def __getitem__(self, index):
        return (
            torch.tensor(self.encoded_texts[index], dtype=torch.long),
            torch.tensor(self.labels[index], dtype=torch.long),
        )

    def __len__(self):
        return len(self.labels)


ham = ["see you at lunch", "call me later", "home at seven", "thanks a lot", "on my way now"]
spam = ["win a free prize now", "free cash, reply now", "you won, claim now", "cheap offer today"]
messages = [(0, m) for m in ham * 4] + [(1, m) for m in spam * 5]
train_loader = DataLoader(SpamDataset(messages, 24), batch_size=8, shuffle=True, drop_last=True)
for input_batch, target_batch in train_loader:
    pass
print(input_batch.shape, target_batch.shape, len(train_loader))
model = GPTModel(CONFIG)
print(sum(p.numel() for p in model.parameters()), model(input_batch).shape)
torch.manual_seed(123)
model.out_head = nn.Linear(in_features=CONFIG["emb_dim"], out_features=2)


def calc_accuracy_loader(loader, model):
    model.eval()
    correct, count = 0, 0
    for input_batch, target_batch in loader:
        with torch.no_grad():
            logits = model(input_batch)[:, -1, :]
        predicted_labels = torch.argmax(logits, dim=-1)
        count += predicted_labels.shape[0]
        correct += (predicted_labels == target_batch).sum().item()
    return correct / count


print(f"accuracy before: {calc_accuracy_loader(train_loader, model) * 100:.0f}%")


class LoRALayer(nn.Module):
    def __init__(self, in_dim, out_dim, rank, alpha):
        super().__init__()
        self.A = nn.Parameter(torch.empty(in_dim, rank))
        nn.init.kaiming_uniform_(self.A, a=math.sqrt(5))
        self.B = nn.Parameter(torch.zeros(rank, out_dim))
        self.alpha = alpha

    def forward(self, x):
        return self.alpha * (x @ self.A @ self.B)


class LinearWithLoRA(nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear
        self.lora = LoRALayer(linear.in_features, linear.out_features, rank, alpha)

    def forward(self, x):
        return self.linear(x) + self.lora(x)


def replace_linear_with_lora(model, rank, alpha):
    for name, module in model.named_children():
        if isinstance(module, nn.Linear):
            setattr(model, name, LinearWithLoRA(module, rank, alpha))
        else:
            replace_linear_with_lora(module, rank, alpha)


total_params = sum(p.numel() for p in model.parameters() if p.requires_grad)
print(f"Total trainable parameters before: {total_params:,}")
for param in model.parameters():
    param.requires_grad = False
print(sum(p.numel() for p in model.parameters() if p.requires_grad))
before = model(input_batch)
replace_linear_with_lora(model, rank=8, alpha=8)
print(sum(p.numel() for p in model.parameters() if p.requires_grad))
print(model.trf_blocks[0], torch.allclose(before, model(input_batch)))
frozen = copy.deepcopy(model.trf_blocks[0].att.W_query.linear.weight)


def calc_loss_batch(input_batch, target_batch, model):
    logits = model(input_batch)[:, -1, :]
    return torch.nn.functional.cross_entropy(logits, target_batch)


optimizer = torch.optim.AdamW(model.parameters(), lr=8e-4, weight_decay=0.1)
for epoch in range(4):
    model.train()
    for input_batch, target_batch in train_loader:
        optimizer.zero_grad()
        loss = calc_loss_batch(input_batch, target_batch, model)
        loss.backward()
        optimizer.step()
    print(f"Ep {epoch + 1}: loss {loss.item():.2f}")
lora = model.trf_blocks[0].att.W_query.lora
print(torch.equal(frozen, model.trf_blocks[0].att.W_query.linear.weight), lora.B.abs().max() > 0)
print(model.trf_blocks[1].ff[0].linear.weight.grad, lora.A.grad.shape)
merged = model.trf_blocks[0].att.W_query.linear.weight.T + lora.alpha * lora.A @ lora.B
print(torch.linalg.matrix_rank(lora.A @ lora.B), merged.shape, merged.grad_fn.name())
model.eval()
with torch.no_grad():
    x = torch.randn(2, 96)
    whole = x @ merged + model.trf_blocks[0].att.W_query.linear.bias
    print(torch.allclose(whole, model.trf_blocks[0].att.W_query(x), atol=1e-4))
