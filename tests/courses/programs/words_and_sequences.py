"""Words as vectors, taggers, translators with padded batches, and layers of convolution by hand."""

import io
import random
import unicodedata

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(1)
random.seed(1)
word_to_ix = {"hello": 0, "world": 1}
embeds = nn.Embedding(2, 5)
lookup = torch.tensor([word_to_ix["hello"]], dtype=torch.long)
print(embeds(lookup), embeds.weight.requires_grad)
text = "when the days are short and the nights are long we read by the fire and wait".split()
ngrams = [([text[i - j - 1] for j in range(2)], text[i]) for i in range(2, len(text))]
vocabulary = sorted(set(text))
index = {word: i for i, word in enumerate(vocabulary)}
print(ngrams[:2], len(vocabulary))


class NGram(nn.Module):
    def __init__(self, words, dim, context):
        super().__init__()
        self.embeddings = nn.Embedding(words, dim)
        self.linear1, self.linear2 = nn.Linear(context * dim, 16), nn.Linear(16, words)

    def forward(self, inputs):
        out = F.relu(self.linear1(self.embeddings(inputs).view((1, -1))))
        return F.log_softmax(self.linear2(out), dim=1)


losses, model = [], NGram(len(vocabulary), 6, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(4):
    total = 0
    for context, target in ngrams:
        model.zero_grad()
        loss = nn.NLLLoss()(
            model(torch.tensor([index[w] for w in context])), torch.tensor([index[target]])
        )
        loss.backward()
        optimizer.step()
        total += loss.item()
    losses.append(round(total, 3))
print(losses, model.embeddings.weight[index["the"]])
similar = F.cosine_similarity(model.embeddings.weight[:3], model.embeddings.weight[0].unsqueeze(0))
print(
    similar,
    torch.topk(similar, 2),
    nn.CosineSimilarity(dim=0)(torch.ones(3), torch.tensor([1.0, 0, 0])),
)
center, context, negative = torch.randn(4), torch.randn(4), torch.randn(3, 4)
center.requires_grad_()
skip = -F.logsigmoid(context @ center) - F.logsigmoid(-negative @ center).sum()
print(skip, torch.autograd.grad(skip, center)[0])
sentences = [torch.tensor([3, 1, 2]), torch.tensor([4, 5]), torch.tensor([6])]
padded = pad_sequence(sentences, batch_first=True, padding_value=0)
print(padded, (padded != 0).sum(1))


class Tagger(nn.Module):
    def __init__(self, embedding, hidden, words, tags):
        super().__init__()
        self.word_embeddings = nn.Embedding(words, embedding, padding_idx=0)
        self.gru = nn.GRU(embedding, hidden, bidirectional=True, batch_first=True)
        self.hidden2tag = nn.Linear(2 * hidden, tags)

    def forward(self, sentence):
        out, last = self.gru(self.word_embeddings(sentence))
        return self.hidden2tag(out), last


tagger = Tagger(4, 3, 7, 5)
print(tagger)
scores, last = tagger(padded)
print(scores.shape, last.shape, scores[0, 0])
tags = torch.tensor([[0, 1, 2], [3, 4, -100], [1, -100, -100]])
loss = F.cross_entropy(scores.transpose(1, 2), tags, ignore_index=-100)
loss.backward()
print(loss, tagger.word_embeddings.weight.grad[0], tagger.gru.weight_hh_l0_reverse.grad.norm())
smooth = nn.CrossEntropyLoss(label_smoothing=0.1, weight=torch.tensor([1.0, 2, 1, 1, 1]))
print(smooth(scores.flatten(0, 1), tags.flatten()))


def plain(s):
    return "".join(c for c in unicodedata.normalize("NFD", s) if unicodedata.category(c) != "Mn")


def line_to_tensor(line, letters="abcdefghijklmnopqrstuvwxyz"):
    tensor = torch.zeros(len(line), 1, len(letters))
    for li, letter in enumerate(line):
        tensor[li][0][letters.find(letter)] = 1
    return tensor


line = line_to_tensor(plain("zoé"))
print(line.shape, line.nonzero())


class CharRNN(nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.hidden = hidden
        self.i2h, self.h2h, self.h2o = (
            nn.Linear(inputs, hidden),
            nn.Linear(hidden, hidden),
            nn.Linear(hidden, outputs),
        )
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, x, hidden):
        hidden = F.tanh(self.i2h(x) + self.h2h(hidden))
        return self.softmax(self.h2o(hidden)), hidden


rnn = CharRNN(26, 8, 3)
for step in range(3):
    hidden = torch.zeros(1, rnn.hidden)
    rnn.zero_grad()
    for i in range(line.size()[0]):
        output, hidden = rnn(line[i], hidden)
    loss = F.nll_loss(output, torch.tensor([1]))
    loss.backward()
    for p in rnn.parameters():
        p.data.add_(p.grad.data, alpha=-0.1)
    print(output, loss.item())
top_value, top_index = output.topk(1)
print(top_index[0].item(), top_value.squeeze().detach())


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.rnn = nn.Embedding(7, 4), nn.GRU(4, 6, num_layers=2)

    def forward(self, x):
        return self.rnn(self.embedding(x.t().long()))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.rnn, self.out = (
            nn.Embedding(7, 4),
            nn.GRU(10, 6, num_layers=2),
            nn.Linear(6, 7),
        )

    def forward(self, x, state):
        embedded = self.embedding(x.t())
        context = state[1].repeat(embedded.shape[0], 1, 1)
        outputs, hidden = self.rnn(torch.cat((embedded, context), -1), state[0])
        return self.out(outputs).swapaxes(0, 1), [hidden, state[1]]


encoder, decoder = Encoder(), Decoder()
enc, state = encoder(padded)
logits, (hidden, _) = decoder(padded, [state, enc[-1]])
print(enc.shape, logits.shape, hidden.shape, logits[0, 0])
per_word = F.cross_entropy(logits.reshape(-1, 7), padded.reshape(-1), reduction="none").reshape(
    3, 3
)
mask = (padded != 0).type(torch.float32)
loss = (per_word * mask).sum() / mask.sum()
loss.backward()
print(per_word, loss, encoder.rnn.weight_ih_l1.grad.abs().sum())


def corr2d(X, K):
    h, w = K.shape
    Y = torch.zeros((X.shape[0] - h + 1, X.shape[1] - w + 1))
    for i in range(Y.shape[0]):
        for j in range(Y.shape[1]):
            Y[i, j] = (X[i : i + h, j : j + w] * K).sum()
    return Y


X = torch.ones((4, 6))
X[:, 2:4] = 0
edges = corr2d(X, torch.tensor([[1.0, -1.0]]))
print(edges, corr2d(X.t(), torch.tensor([[1.0, -1.0]])))
conv = nn.Conv2d(1, 1, kernel_size=(1, 2), bias=False)
for i in range(6):
    loss = (conv(X.reshape(1, 1, 4, 6)) - edges.reshape(1, 1, 4, 5)) ** 2
    conv.zero_grad()
    loss.sum().backward()
    conv.weight.data[:] -= 3e-2 * conv.weight.grad
    print(f"epoch {i + 1}, loss {loss.sum():.3f}")
print(conv.weight.data.reshape((1, 2)))
stack = torch.stack([corr2d(X, k) for k in torch.arange(8.0).reshape(2, 2, 2)], 0)
print(
    stack.shape,
    F.unfold(X[None, None], 2).shape,
    F.max_pool2d(X[None, None], 3, padding=1, stride=2),
)
net = nn.Sequential(
    nn.LazyConv2d(4, kernel_size=3),
    nn.BatchNorm2d(4),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d((1, 1)),
    nn.Flatten(),
    nn.LazyLinear(3),
)
print(net(X[None, None].repeat(2, 1, 1, 1)).shape, net[0], net[-1])
for layer in net:
    print(layer.__class__.__name__, [tuple(p.shape) for p in layer.parameters()])
file = io.BytesIO()
torch.save({"net": net.state_dict(), "epoch": 3}, file)
file.seek(0)
loaded = torch.load(file, weights_only=True)
print(loaded["epoch"], list(loaded["net"])[:3], net.load_state_dict(loaded["net"]))
