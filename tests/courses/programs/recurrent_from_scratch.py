"""A recurrent language model from its five tensors, as a text book writes it: one-hot, clipping, perplexity."""

import math

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(1)
text = (
    "the time traveller for so it will be convenient to speak of him was expounding a matter " * 8
)
chars = sorted(set(text))
vocab = {c: i for i, c in enumerate(chars)}
corpus = [vocab[c] for c in text]
batch_size, num_steps, num_hiddens = 32, 16, 64


def seq_data_iter_random(corpus, batch_size, num_steps):
    num = (len(corpus) - 1) // num_steps
    starts = torch.randperm(num) * num_steps
    for i in range(0, num - batch_size + 1, batch_size):
        picked = starts[i : i + batch_size]
        X = [corpus[j : j + num_steps] for j in picked]
        Y = [corpus[j + 1 : j + 1 + num_steps] for j in picked]
        yield torch.tensor(X), torch.tensor(Y)


X, Y = next(seq_data_iter_random(corpus, batch_size, num_steps))
print(len(vocab), len(corpus), X.shape, X[0], Y[0])
print(F.one_hot(torch.tensor([0, 2]), len(vocab)))
print(F.one_hot(torch.arange(10).reshape((2, 5)).T, 28).shape)


def get_params(vocab_size, num_hiddens):
    num_inputs = num_outputs = vocab_size

    def normal(shape):
        return torch.randn(size=shape) * 0.01

    W_xh, W_hh = normal((num_inputs, num_hiddens)), normal((num_hiddens, num_hiddens))
    b_h = torch.zeros(num_hiddens)
    W_hq, b_q = normal((num_hiddens, num_outputs)), torch.zeros(num_outputs)
    params = [W_xh, W_hh, b_h, W_hq, b_q]
    for param in params:
        param.requires_grad_(True)
    return params


def init_rnn_state(batch_size, num_hiddens):
    return (torch.zeros((batch_size, num_hiddens)),)


def rnn(inputs, state, params):
    W_xh, W_hh, b_h, W_hq, b_q = params
    (H,) = state
    outputs = []
    for X in inputs:
        H = torch.tanh(torch.mm(X, W_xh) + torch.mm(H, W_hh) + b_h)
        Y = torch.mm(H, W_hq) + b_q
        outputs.append(Y)
    return torch.cat(outputs, dim=0), (H,)


class RNNModelScratch:
    def __init__(self, vocab_size, num_hiddens, get_params, init_state, forward_fn):
        self.vocab_size, self.num_hiddens = vocab_size, num_hiddens
        self.params = get_params(vocab_size, num_hiddens)
        self.init_state, self.forward_fn = init_state, forward_fn

    def __call__(self, X, state):
        X = F.one_hot(X.T, self.vocab_size).type(torch.float32)
        return self.forward_fn(X, state, self.params)

    def begin_state(self, batch_size):
        return self.init_state(batch_size, self.num_hiddens)


net = RNNModelScratch(len(vocab), num_hiddens, get_params, init_rnn_state, rnn)
state = net.begin_state(X.shape[0])
Y_hat, new_state = net(X, state)
print(Y_hat.shape, len(new_state), new_state[0].shape, Y_hat.grad_fn)


def predict(prefix, num_preds, net, vocab):
    state = net.begin_state(batch_size=1)
    outputs = [vocab[prefix[0]]]
    for y in prefix[1:]:
        _, state = net(torch.tensor([outputs[-1]]).reshape((1, 1)), state)
        outputs.append(vocab[y])
    for _ in range(num_preds):
        y, state = net(torch.tensor([outputs[-1]]).reshape((1, 1)), state)
        outputs.append(int(y.argmax(dim=1).reshape(1)))
    return "".join(chars[i] for i in outputs)


print(len(predict("time traveller ", 10, net, vocab)))


def grad_clipping(net, theta):
    params = [p for p in net.params if p.requires_grad]
    norm = torch.sqrt(sum(torch.sum(p.grad**2) for p in params))
    if norm > theta:
        for param in params:
            param.grad[:] *= theta / norm
    return norm


def sgd(params, lr, batch_size):
    with torch.no_grad():
        for param in params:
            param -= lr * param.grad / batch_size
            param.grad.zero_()


def train_epoch(net, train_iter, loss, lr):
    state, total, tokens = None, 0.0, 0
    for X, Y in train_iter:
        state = net.begin_state(batch_size=X.shape[0])
        y = Y.T.reshape(-1)
        y_hat, state = net(X, state)
        l = loss(y_hat, y.long()).mean()
        l.backward()
        norm = grad_clipping(net, 1)
        sgd(net.params, lr, batch_size=1)
        total, tokens = total + l.item() * y.numel(), tokens + y.numel()
    return math.exp(total / tokens), norm


loss = nn.CrossEntropyLoss()
for epoch in range(20):
    ppl, norm = train_epoch(net, seq_data_iter_random(corpus, batch_size, num_steps), loss, 1)
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1}, perplexity {ppl:.2f}, norm {norm:.3f}")
        print(repr(predict("time ", 12, net, vocab)))

rnn_layer = nn.RNN(len(vocab), num_hiddens)
with torch.no_grad():
    rnn_layer.weight_ih_l0.copy_(net.params[0].T)
    rnn_layer.weight_hh_l0.copy_(net.params[1].T)
    rnn_layer.bias_ih_l0.copy_(net.params[2])
    rnn_layer.bias_hh_l0.zero_()
out, last = rnn_layer(F.one_hot(X.T, len(vocab)).float(), torch.zeros(1, batch_size, num_hiddens))
logits = out.reshape(-1, num_hiddens) @ net.params[3] + net.params[4]
print(torch.allclose(logits, net(X, net.begin_state(batch_size))[0], atol=1e-5))
loss(logits, Y.T.reshape(-1)).backward()
print(out.shape, last.shape, rnn_layer, f"{rnn_layer.weight_hh_l0.grad.norm():.3f}")
print([tuple(p.shape) for p in rnn_layer.parameters()], net.params[3].grad.shape)
