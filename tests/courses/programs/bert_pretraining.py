"""Pretraining of BERT as a text book does it: segments, masked tokens, next sentences, one model."""

import math
import random

import torch
from torch import nn

random.seed(2)
torch.manual_seed(2)
sentences = [s.split() for s in (
    "the cat sat on the mat", "it was warm there", "the dog ran in the park", "it was very happy",
    "a bird sang in the tree", "its song was long", "the boat went down the river", "nobody saw it",
)]  # fmt: skip
words = ["<pad>", "<mask>", "<cls>", "<sep>", *sorted({w for s in sentences for w in s})]
vocab = {w: i for i, w in enumerate(words)}
max_len, max_num_mlm_preds = 20, 3


def get_tokens_and_segments(tokens_a, tokens_b=None):
    tokens = ["<cls>"] + tokens_a + ["<sep>"]
    segments = [0] * (len(tokens_a) + 2)
    if tokens_b is not None:
        tokens += tokens_b + ["<sep>"]
        segments += [1] * (len(tokens_b) + 1)
    return tokens, segments


def masked(tokens):
    candidates = [i for i, t in enumerate(tokens) if t not in ("<cls>", "<sep>")]
    random.shuffle(candidates)
    positions = sorted(candidates[: max(1, round(len(tokens) * 0.15))])
    labels = [vocab[tokens[p]] for p in positions]
    for p in positions:
        draw = random.random()
        if draw < 0.8:
            tokens[p] = "<mask>"
        elif draw < 0.9:
            tokens[p] = random.choice(words)
    return tokens, positions, labels


examples = []
for i in range(0, len(sentences), 2):
    for is_next in (True, False):
        second = sentences[i + 1] if is_next else random.choice(sentences)
        tokens, segments = get_tokens_and_segments(sentences[i], second)
        tokens, positions, labels = masked(list(tokens))
        examples.append((tokens, segments, positions, labels, is_next))
print(examples[0])
print(len(vocab), len(examples))


def pad_bert_inputs(examples):
    for tokens, segments, positions, labels, is_next in examples:
        yield (
            torch.tensor([vocab[t] for t in tokens] + [0] * (max_len - len(tokens))),
            torch.tensor(segments + [0] * (max_len - len(segments)), dtype=torch.long),
            torch.tensor(len(tokens), dtype=torch.float32),
            torch.tensor(positions + [0] * (max_num_mlm_preds - len(positions))),
            torch.tensor([1.0] * len(labels) + [0.0] * (max_num_mlm_preds - len(labels))),
            torch.tensor(labels + [0] * (max_num_mlm_preds - len(labels))),
            torch.tensor(is_next, dtype=torch.long),
        )


batch = [torch.stack(column) for column in zip(*pad_bert_inputs(examples))]
print([tuple(column.shape) for column in batch], batch[0][0], batch[4])


def masked_softmax(X, valid_lens):
    shape = X.shape
    valid_lens = torch.repeat_interleave(valid_lens, shape[1])
    X = X.reshape(-1, shape[-1])
    mask = torch.arange(X.size(1), dtype=torch.float32)[None, :] < valid_lens[:, None]
    X[~mask] = -1e6
    return nn.functional.softmax(X.reshape(shape), dim=-1)


print(masked_softmax(torch.rand(2, 2, 4), torch.tensor([2.0, 3.0])))


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads, dropout):
        super().__init__()
        self.num_heads, self.dropout = num_heads, nn.Dropout(dropout)
        self.W_q, self.W_k = nn.LazyLinear(num_hiddens), nn.LazyLinear(num_hiddens)
        self.W_v, self.W_o = nn.LazyLinear(num_hiddens), nn.LazyLinear(num_hiddens)

    def split(self, X):
        X = X.reshape(X.shape[0], X.shape[1], self.num_heads, -1).permute(0, 2, 1, 3)
        return X.reshape(-1, X.shape[2], X.shape[3])

    def forward(self, X, valid_lens):
        Q, K, V = self.split(self.W_q(X)), self.split(self.W_k(X)), self.split(self.W_v(X))
        valid_lens = torch.repeat_interleave(valid_lens, repeats=self.num_heads, dim=0)
        scores = torch.bmm(Q, K.transpose(1, 2)) / math.sqrt(Q.shape[-1])
        output = torch.bmm(self.dropout(masked_softmax(scores, valid_lens)), V)
        output = output.reshape(-1, self.num_heads, output.shape[1], output.shape[2])
        output = output.permute(0, 2, 1, 3)
        return self.W_o(output.reshape(output.shape[0], output.shape[1], -1))


class EncoderBlock(nn.Module):
    def __init__(self, num_hiddens, ffn_num_hiddens, num_heads, dropout):
        super().__init__()
        self.attention = MultiHeadAttention(num_hiddens, num_heads, dropout)
        self.ffn = nn.Sequential(
            nn.LazyLinear(ffn_num_hiddens), nn.ReLU(), nn.LazyLinear(num_hiddens)
        )
        self.ln1, self.ln2 = nn.LayerNorm(num_hiddens), nn.LayerNorm(num_hiddens)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, valid_lens):
        Y = self.ln1(self.dropout(self.attention(X, valid_lens)) + X)
        return self.ln2(self.dropout(self.ffn(Y)) + Y)


class BERTModel(nn.Module):
    def __init__(self, vocab_size, num_hiddens, ffn_num_hiddens, num_heads, num_blks, dropout):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, num_hiddens)
        self.segment_embedding = nn.Embedding(2, num_hiddens)
        self.blks = nn.Sequential()
        for i in range(num_blks):
            self.blks.add_module(
                f"{i}", EncoderBlock(num_hiddens, ffn_num_hiddens, num_heads, dropout)
            )
        self.pos_embedding = nn.Parameter(torch.randn(1, max_len, num_hiddens))
        self.mlm = nn.Sequential(
            nn.LazyLinear(num_hiddens),
            nn.ReLU(),
            nn.LayerNorm(num_hiddens),
            nn.LazyLinear(vocab_size),
        )
        self.hidden = nn.Sequential(nn.LazyLinear(num_hiddens), nn.Tanh())
        self.nsp = nn.LazyLinear(2)

    def forward(self, tokens, segments, valid_lens, pred_positions):
        X = self.token_embedding(tokens) + self.segment_embedding(segments)
        X = X + self.pos_embedding[:, : X.shape[1], :]
        for blk in self.blks:
            X = blk(X, valid_lens)
        batch_idx = torch.repeat_interleave(torch.arange(0, X.shape[0]), pred_positions.shape[1])
        masked_X = X[batch_idx, pred_positions.reshape(-1)]
        mlm_Y_hat = self.mlm(masked_X.reshape((X.shape[0], pred_positions.shape[1], -1)))
        return X, mlm_Y_hat, self.nsp(self.hidden(X[:, 0, :]))


net = BERTModel(len(vocab), 128, 256, num_heads=2, num_blks=2, dropout=0.2)
loss = nn.CrossEntropyLoss(reduction="none")
tokens_X, segments_X, valid_lens_x, positions_X, mlm_weights_X, mlm_Y, nsp_y = batch
encoded, mlm_Y_hat, nsp_Y_hat = net(tokens_X, segments_X, valid_lens_x, positions_X)
print(encoded.shape, mlm_Y_hat.shape, nsp_Y_hat)
trainer = torch.optim.Adam(net.parameters(), lr=0.001)
for step in range(12):
    trainer.zero_grad()
    _, mlm_Y_hat, nsp_Y_hat = net(tokens_X, segments_X, valid_lens_x, positions_X)
    mlm_l = loss(mlm_Y_hat.reshape(-1, len(vocab)), mlm_Y.reshape(-1)) * mlm_weights_X.reshape(-1)
    mlm_l = mlm_l.sum() / (mlm_weights_X.sum() + 1e-8)
    nsp_l = loss(nsp_Y_hat, nsp_y).mean()
    l = mlm_l + nsp_l
    l.backward()
    trainer.step()
    if step % 3 == 0:
        print(f"step {step}, MLM loss {mlm_l:.2f}, NSP loss {nsp_l:.2f}")
print(net.blks[0].attention, net.token_embedding.weight.grad[vocab["<mask>"]].norm() > 0)
net.eval()
tokens, segments = get_tokens_and_segments(["the", "cat"], ["a", "bird"])
ids = torch.tensor([[vocab[t] for t in tokens]])
with torch.no_grad():
    encoded, *_ = net(ids, torch.tensor([segments]), torch.tensor([7.0]), torch.tensor([[1, 2, 3]]))
print(encoded[:, 0, :].shape, encoded.requires_grad, tokens, segments)
