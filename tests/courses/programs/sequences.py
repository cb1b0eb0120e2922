"""Sequences by hand: a name classifier, an encoder and decoder with attention, skip-gram vectors."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(2)
letters = "abcdefghijklmnopqrstuvwxyz"
names = {"sea": ["anna", "lena", "mia", "nora"], "hill": ["otto", "karl", "ruth", "kurt"]}
categories = list(names)


def line_to_tensor(line):
    tensor = torch.zeros(len(line), 1, len(letters))
    for i, letter in enumerate(line):
        tensor[i][0][letters.find(letter)] = 1
    return tensor


class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.hidden_size = hidden_size
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, output_size)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, input, hidden):
        hidden = torch.tanh(self.i2h(torch.cat((input, hidden), 1)))
        return self.softmax(self.h2o(hidden)), hidden

    def init_hidden(self):
        return torch.zeros(1, self.hidden_size)


rnn = RNN(len(letters), 8, 2)
criterion = nn.NLLLoss()
rng = random.Random(1)
for it in range(24):
    category = rng.choice(categories)
    line = line_to_tensor(rng.choice(names[category]))
    hidden = rnn.init_hidden()
    rnn.zero_grad()
    for i in range(line.size(0)):
        output, hidden = rnn(line[i], hidden)
    loss = criterion(output, torch.tensor([categories.index(category)]))
    loss.backward()
    for p in rnn.parameters():
        p.data.add_(p.grad.data, alpha=-0.1)
    if it % 8 == 7:
        top_v, top_i = output.topk(1)
        print(it, f"{loss.item():.4f}", categories[top_i[0].item()], category)
print(output, hidden.grad_fn, rnn)


class BahdanauAttention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.Wa, self.Ua, self.Va = nn.Linear(size, size), nn.Linear(size, size), nn.Linear(size, 1)

    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
        weights = F.softmax(scores.squeeze(2).unsqueeze(1), dim=-1)
        return torch.bmm(weights, keys), weights


SOS, vocab, hid = 0, 7, 6
embed = nn.Embedding(vocab, hid)
encoder, decoder = nn.GRU(hid, hid, batch_first=True), nn.GRU(2 * hid, hid, batch_first=True)
attention, out = BahdanauAttention(hid), nn.Linear(hid, vocab)
parts = nn.ModuleList([embed, encoder, decoder, attention, out])
opt = torch.optim.Adam(parts.parameters(), lr=0.03)
source = torch.randint(1, vocab, (5, 4))
target = source.flip(1)
for epoch in range(12):
    outputs, hidden = encoder(embed(source))
    token, steps, maps = torch.full((5, 1), SOS), [], []
    for t in range(4):
        context, weights = attention(hidden.permute(1, 0, 2), outputs)
        step, hidden = decoder(torch.cat((embed(token), context), dim=2), hidden)
        steps.append(out(step))
        maps.append(weights)
        token = target[:, t : t + 1] if epoch % 2 else steps[-1].topk(1)[1].squeeze(-1).detach()
    logits = torch.cat(steps, dim=1)
    loss = F.nll_loss(F.log_softmax(logits, -1).view(-1, vocab), target.reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if epoch % 4 == 3:
        print(epoch, f"{loss:.4f}")
print(torch.cat(maps, 1)[0], [f"{p.grad.norm():.3f}" for p in attention.parameters()])

words = "we sail the sea and the sea sails us".split()
vocabulary = sorted(set(words))
index = {w: i for i, w in enumerate(vocabulary)}
pairs = [(index[words[i]], index[words[j]]) for i in range(9) for j in (i - 1, i + 1) if 0 <= j < 9]
centre, context = torch.tensor(pairs).T
vectors = nn.Embedding(len(vocabulary), 4)
contexts = nn.Embedding(len(vocabulary), 4, _weight=torch.zeros(len(vocabulary), 4))
opt = torch.optim.SGD([*vectors.parameters(), *contexts.parameters()], lr=0.5)
for _ in range(5):
    negative = torch.randint(len(vocabulary), (len(pairs), 2))
    v = vectors(centre)
    pos = F.logsigmoid((v * contexts(context)).sum(1))
    neg = F.logsigmoid(-torch.bmm(contexts(negative), v.unsqueeze(2)).squeeze(2)).sum(1)
    loss = -(pos + neg).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss, vectors.weight.grad[0], F.cosine_similarity(vectors.weight[:1], vectors.weight))
packed = nn.utils.rnn.pad_sequence([torch.ones(3), torch.ones(1)], batch_first=True)
print(packed)
