"""The transformer of the paper, annotated line by line: layers, masks, label smoothing, the copy task."""

import copy
import math

import torch
import torch.nn as nn
from torch.nn.functional import log_softmax, pad
from torch.optim.lr_scheduler import LambdaLR

torch.manual_seed(0)


def clones(module, N):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(N)])


class LayerNorm(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.a_2 = nn.Parameter(torch.ones(features))
        self.b_2 = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        mean, std = x.mean(-1, keepdim=True), x.std(-1, keepdim=True)
        return self.a_2 * (x - mean) / (std + self.eps) + self.b_2


class SublayerConnection(nn.Module):
    def __init__(self, size, dropout):
        super().__init__()
        self.norm, self.dropout = LayerNorm(size), nn.Dropout(dropout)

    def forward(self, x, sublayer):
        return x + self.dropout(sublayer(self.norm(x)))


def attention(query, key, value, mask=None, dropout=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn


class MultiHeadedAttention(nn.Module):
    def __init__(self, h, d_model, dropout=0.1):
        super().__init__()
        assert d_model % h == 0
        self.d_k, self.h = d_model // h, h
        self.linears, self.attn = clones(nn.Linear(d_model, d_model), 4), None
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = mask.unsqueeze(1)
        nbatches = query.size(0)
        query, key, value = [
            lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
            for lin, x in zip(self.linears, (query, key, value))
        ]
        x, self.attn = attention(query, key, value, mask=mask, dropout=self.dropout)
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        return self.linears[-1](x)


class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.w_1, self.w_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.w_2(self.dropout(self.w_1(x).relu()))


class Embeddings(nn.Module):
    def __init__(self, d_model, vocab, dropout, max_len=100):
        super().__init__()
        self.lut, self.d_model = nn.Embedding(vocab, d_model), d_model
        pe, position = torch.zeros(max_len, d_model), torch.arange(0, max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0))
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x):
        x = self.lut(x) * math.sqrt(self.d_model)
        return self.dropout(x + self.pe[:, : x.size(1)].requires_grad_(False))


class Layer(nn.Module):
    def __init__(self, size, attn, feed_forward, dropout, cross):
        super().__init__()
        self.self_attn, self.feed_forward = copy.deepcopy(attn), copy.deepcopy(feed_forward)
        self.src_attn = copy.deepcopy(attn) if cross else None
        self.sublayer, self.size = clones(SublayerConnection(size, dropout), 2 + cross), size

    def forward(self, x, mask, memory=None, src_mask=None):
        x = self.sublayer[0](x, lambda x: self.self_attn(x, x, x, mask))
        if memory is not None:
            x = self.sublayer[1](x, lambda x: self.src_attn(x, memory, memory, src_mask))
        return self.sublayer[-1](x, self.feed_forward)


class EncoderDecoder(nn.Module):
    def __init__(self, vocab, N=2, d_model=64, d_ff=256, h=4, dropout=0.1):
        super().__init__()
        attn, ff = MultiHeadedAttention(h, d_model), PositionwiseFeedForward(d_model, d_ff, dropout)
        self.encoder = clones(Layer(d_model, attn, ff, dropout, False), N)
        self.decoder = clones(Layer(d_model, attn, ff, dropout, True), N)
        self.norms = clones(LayerNorm(d_model), 2)
        self.src_embed = Embeddings(d_model, vocab, dropout)
        self.tgt_embed = Embeddings(d_model, vocab, dropout)
        self.generator = nn.Linear(d_model, vocab)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def encode(self, src, src_mask):
        x = self.src_embed(src)
        for layer in self.encoder:
            x = layer(x, src_mask)
        return self.norms[0](x)

    def decode(self, memory, src_mask, tgt, tgt_mask):
        x = self.tgt_embed(tgt)
        for layer in self.decoder:
            x = layer(x, tgt_mask, memory, src_mask)
        return log_softmax(self.generator(self.norms[1](x)), dim=-1)


def subsequent_mask(size):
    mask = torch.triu(torch.ones((1, size, size)), diagonal=1).type(torch.uint8)
    return mask == 0


print(subsequent_mask(4), torch.randn(2, 3).masked_fill(subsequent_mask(3)[0, 1:] == 0, -1e9))
model = EncoderDecoder(11, dropout=0.1)
print(sum(p.numel() for p in model.parameters()), model.src_embed.pe[0, 2, :6])


class LabelSmoothing(nn.Module):
    def __init__(self, size, padding_idx, smoothing=0.0):
        super().__init__()
        self.criterion = nn.KLDivLoss(reduction="sum")
        self.padding_idx, self.size = padding_idx, size
        self.confidence, self.smoothing, self.true_dist = 1.0 - smoothing, smoothing, None

    def forward(self, x, target):
        true_dist = x.data.clone()
        true_dist.fill_(self.smoothing / (self.size - 2))
        true_dist.scatter_(1, target.data.unsqueeze(1), self.confidence)
        true_dist[:, self.padding_idx] = 0
        mask = torch.nonzero(target.data == self.padding_idx)
        if mask.dim() > 0:
            true_dist.index_fill_(0, mask.squeeze(), 0.0)
        self.true_dist = true_dist
        return self.criterion(x, true_dist.clone().detach())


crit = LabelSmoothing(5, 0, 0.4)
predict = torch.FloatTensor([[0, 0.2, 0.7, 0.1, 0]] * 3)
print(crit(x=predict.clamp(min=1e-9).log(), target=torch.LongTensor([2, 1, 0])), crit.true_dist)


def rate(step, model_size, factor, warmup):
    step = max(step, 1)
    return factor * (model_size ** (-0.5) * min(step ** (-0.5), step * warmup ** (-1.5)))


criterion = LabelSmoothing(size=11, padding_idx=0, smoothing=0.0)
optimizer = torch.optim.Adam(model.parameters(), lr=0.5, betas=(0.9, 0.98), eps=1e-9)
lr_scheduler = LambdaLR(optimizer, lr_lambda=lambda step: rate(step, 64, 1.0, 400))
model.train()
for i in range(12):
    data = torch.randint(1, 11, size=(80, 10))
    data[:, 0] = 1
    src, tgt, tgt_y = data, data[:, :-1], data[:, 1:]
    src_mask = (src != 0).unsqueeze(-2)
    tgt_mask = (tgt != 0).unsqueeze(-2) & subsequent_mask(tgt.size(-1)).type_as(src_mask)
    out = model.decode(model.encode(src, src_mask), src_mask, tgt, tgt_mask)
    ntokens = (tgt_y != 0).data.sum()
    loss = criterion(out.contiguous().view(-1, 11), tgt_y.contiguous().view(-1)) / ntokens
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    lr_scheduler.step()
    if i % 3 == 0:
        print(
            f"step {i}: loss {loss.item():.3f} lr {optimizer.param_groups[0]['lr']:.1e} {ntokens}"
        )
model.eval()
src = torch.LongTensor([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]])
memory, ys = model.encode(src, torch.ones(1, 1, 10)), torch.zeros(1, 1).type_as(src.data).fill_(1)
for _ in range(5):
    prob = model.decode(memory, torch.ones(1, 1, 10), ys, subsequent_mask(ys.size(1)))[:, -1]
    _, next_word = torch.max(prob, dim=1)
    ys = torch.cat([ys, torch.empty(1, 1).type_as(src.data).fill_(next_word.data[0])], dim=1)
print(ys.shape, prob.exp().sum(), model.decoder[0].src_attn.attn.shape)
print(pad(src, (0, 3), value=2), pad(ys[:, :1], (1, 1)))
