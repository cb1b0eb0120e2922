"""LSTM and GRU by their gates and by nn, as a text book sets the two beside each other."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(4)
vocab_size, num_hiddens, batch_size, num_steps = 28, 32, 64, 12
tokens = torch.cumsum(torch.randint(1, 4, (batch_size, num_steps + 1)), dim=1) % vocab_size
X, Y = tokens[:, :-1], tokens[:, 1:]
inputs = F.one_hot(X.T, vocab_size).type(torch.float32)
print(inputs.shape, X[0], Y[0])


class LSTMScratch(nn.Module):
    def __init__(self, num_inputs, num_hiddens, sigma=0.01):
        super().__init__()

        def init_weight(*shape):
            return nn.Parameter(torch.randn(*shape) * sigma)

        def triple():
            return (
                init_weight(num_inputs, num_hiddens),
                init_weight(num_hiddens, num_hiddens),
                nn.Parameter(torch.zeros(num_hiddens)),
            )

        self.W_xi, self.W_hi, self.b_i = triple()
        self.W_xf, self.W_hf, self.b_f = triple()
        self.W_xo, self.W_ho, self.b_o = triple()
        self.W_xc, self.W_hc, self.b_c = triple()
        self.num_hiddens = num_hiddens

    def forward(self, inputs, H_C=None):
        if H_C is None:
            H = torch.zeros((inputs.shape[1], self.num_hiddens), device=inputs.device)
            C = torch.zeros((inputs.shape[1], self.num_hiddens), device=inputs.device)
        else:
            H, C = H_C
        outputs = []
        for X in inputs:
            I = torch.sigmoid(torch.matmul(X, self.W_xi) + torch.matmul(H, self.W_hi) + self.b_i)
            F = torch.sigmoid(torch.matmul(X, self.W_xf) + torch.matmul(H, self.W_hf) + self.b_f)
            O = torch.sigmoid(torch.matmul(X, self.W_xo) + torch.matmul(H, self.W_ho) + self.b_o)
            C_tilde = torch.tanh(torch.matmul(X, self.W_xc) + torch.matmul(H, self.W_hc) + self.b_c)
            C = F * C + I * C_tilde
            H = O * torch.tanh(C)
            outputs.append(H)
        return outputs, (H, C)


class GRUScratch(nn.Module):
    def __init__(self, num_inputs, num_hiddens, sigma=0.01):
        super().__init__()
        for gate in "zrh":
            self.register_parameter(
                f"W_x{gate}", nn.Parameter(torch.randn(num_inputs, num_hiddens) * sigma)
            )
            self.register_parameter(
                f"W_h{gate}", nn.Parameter(torch.randn(num_hiddens, num_hiddens) * sigma)
            )
            self.register_parameter(f"b_{gate}", nn.Parameter(torch.zeros(num_hiddens)))

    def forward(self, inputs, H=None):
        if H is None:
            H = torch.zeros((inputs.shape[1], self.W_hh.shape[0]))
        outputs = []
        for X in inputs:
            Z = torch.sigmoid(X @ self.W_xz + H @ self.W_hz + self.b_z)
            R = torch.sigmoid(X @ self.W_xr + H @ self.W_hr + self.b_r)
            H_tilde = torch.tanh(X @ self.W_xh + (R * H) @ self.W_hh + self.b_h)
            H = Z * H + (1 - Z) * H_tilde
            outputs.append(H)
        return outputs, H


class LanguageModel(nn.Module):
    def __init__(self, rnn, vocab_size):
        super().__init__()
        self.rnn = rnn
        self.linear = nn.Linear(num_hiddens, vocab_size)

    def forward(self, inputs):
        outputs, state = self.rnn(inputs)
        outputs = torch.stack(outputs, 1) if isinstance(outputs, list) else outputs.transpose(0, 1)
        return self.linear(outputs), state


def fit(model, steps, lr):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    for step in range(steps):
        Y_hat, state = model(inputs)
        loss = F.cross_entropy(Y_hat.reshape(-1, vocab_size), Y.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1)
        optimizer.step()
    print(type(model.rnn).__name__, f"perplexity {torch.exp(loss):.2f}, last norm {norm:.3f}")
    return state


lstm = LanguageModel(LSTMScratch(vocab_size, num_hiddens), vocab_size)
print([name for name, _ in lstm.named_parameters()])
H, C = fit(lstm, 15, 4)
print(H.shape, C.shape, H.grad_fn, f"{C.abs().mean():.3f}")
gru = LanguageModel(GRUScratch(vocab_size, num_hiddens), vocab_size)
print(fit(gru, 15, 4).shape, gru.rnn.b_z.grad.shape)
for layer in (nn.LSTM(vocab_size, num_hiddens), nn.GRU(vocab_size, num_hiddens)):
    short = LanguageModel(layer, vocab_size)
    fit(short, 15, 4)
    print(short, sum(p.numel() for p in short.parameters()))

deep = nn.LSTM(vocab_size, num_hiddens, num_layers=2, bidirectional=True, dropout=0.0)
out, (h, c) = deep(inputs)
print(out.shape, h.shape, c.shape, out[0, 0, :4])
out.mean().backward()
print(deep.weight_ih_l0_reverse.grad.norm(), [n for n, _ in deep.named_parameters()][:8])
gates = nn.GRU(vocab_size, num_hiddens)
out, h = gates(inputs)
print(torch.equal(out[-1], h[0]))
W_r, W_z, W_n = gates.weight_ih_l0.chunk(3)
U_r, U_z, U_n = gates.weight_hh_l0.chunk(3)
b = (gates.bias_ih_l0.chunk(3), gates.bias_hh_l0.chunk(3))
x, h0 = inputs[0], torch.zeros(batch_size, num_hiddens)
r = torch.sigmoid(x @ W_r.T + b[0][0] + h0 @ U_r.T + b[1][0])
z = torch.sigmoid(x @ W_z.T + b[0][1] + h0 @ U_z.T + b[1][1])
n = torch.tanh(x @ W_n.T + b[0][2] + r * (h0 @ U_n.T + b[1][2]))
print(torch.allclose((1 - z) * n + z * h0, out[0], atol=1e-6), r[0, :4])
