"""A university's first lab: tensors as nodes of a graph, dense layers three ways, gradients, a minimum found."""

import numpy as np
import torch
import torch.nn as nn

integer = torch.tensor(1234)
decimal = torch.tensor(3.14159265359)
print(f"`integer` is a {integer.ndim}-d Tensor: {integer}")
print(f"`decimal` is a {decimal.ndim}-d Tensor: {decimal}")
fibonacci = torch.tensor([1, 1, 2, 3, 5, 8])
count_to_100 = torch.tensor(range(100))
print(f"`fibonacci` is a {fibonacci.ndim}-d Tensor with shape: {fibonacci.shape}")
print(f"`count_to_100` is a {count_to_100.ndim}-d Tensor with shape: {count_to_100.shape}")
matrix = torch.zeros(3, 4)
assert isinstance(matrix, torch.Tensor)
images = torch.zeros(10, 3, 256, 256)
print(f"images is a {images.ndim}-d Tensor with shape: {images.shape}")
print(matrix.size(), matrix[1], matrix[:, 1], matrix[0, 1])

a = torch.tensor(15)
b = torch.tensor(61)
c1 = torch.add(a, b)
c2 = a + b
print(f"c1: {c1}")
print(f"c2: {c2}")


def func(a, b):
    c = torch.add(a, b)
    d = torch.subtract(b, 1)
    e = torch.multiply(c, d)
    return e


a, b = 1.5, 2.5
e_out = func(torch.tensor(a), torch.tensor(b))
print(f"e_out: {e_out}")


class OurDenseLayer(torch.nn.Module):
    def __init__(self, num_inputs, num_outputs):
        super(OurDenseLayer, self).__init__()
        self.W = torch.nn.Parameter(torch.randn(num_inputs, num_outputs))
        self.bias = torch.nn.Parameter(torch.randn(num_outputs))

    def forward(self, x):
        z = torch.matmul(x, self.W) + self.bias
        y = torch.sigmoid(z)
        return y


torch.manual_seed(1)
num_inputs = 2
num_outputs = 3
layer = OurDenseLayer(num_inputs, num_outputs)
x_input = torch.tensor([[1, 2.0]])
y = layer(x_input)
print(f"input shape: {x_input.shape}")
print(f"output shape: {y.shape}")
print(f"output result: {y}")
print(layer, dict(layer.named_parameters()))

n_input_nodes = 2
n_output_nodes = 3
model = nn.Sequential(nn.Linear(n_input_nodes, n_output_nodes), nn.Sigmoid())
x_input = torch.tensor([[1.0, 2.0]])
model_output = model(x_input)
print(f"input shape: {x_input.shape}")
print(f"output shape: {model_output.shape}")
print(f"output result: {model_output}")


class LinearWithSigmoidActivation(nn.Module):
    def __init__(self, num_inputs, num_outputs):
        super(LinearWithSigmoidActivation, self).__init__()
        self.linear = nn.Linear(num_inputs, num_outputs)
        self.activation = nn.Sigmoid()

    def forward(self, inputs):
        linear_output = self.linear(inputs)
        output = self.activation(linear_output)
        return output


model = LinearWithSigmoidActivation(n_input_nodes, n_output_nodes)
y = model(x_input)
print(f"output shape: {y.shape}, result: {y}")


class LinearButSometimesIdentity(nn.Module):
    def __init__(self, num_inputs, num_outputs):
        super(LinearButSometimesIdentity, self).__init__()
        self.linear = nn.Linear(num_inputs, num_outputs)

    def forward(self, inputs, isidentity=False):
        if isidentity:
            return inputs
        return self.linear(inputs)


model = LinearButSometimesIdentity(num_inputs=2, num_outputs=3)
out_with_linear = model(x_input)
out_with_identity = model(x_input, isidentity=True)
print(f"input: {x_input}")
print(f"Network linear output: {out_with_linear}; network identity output: {out_with_identity}")

x = torch.tensor(3.0, requires_grad=True)
y = x**2
y.backward()
dy_dx = x.grad
print("dy_dx of y=x^2 at x=3.0 is: ", dy_dx)
assert dy_dx == 6.0

x = torch.randn(1)
print(f"Initializing x={x.item()}")
learning_rate = 1e-2
history = []
x_f = 4
for i in range(500):
    x = torch.tensor([x], requires_grad=True)
    loss = (x - x_f) ** 2
    loss.backward()
    x = x.item() - learning_rate * x.grad
    history.append(x.item())
print(len(history), [f"{h:.4f}" for h in history[::100]], np.allclose(history[-1], 4, atol=1e-3))

start = torch.tensor([-3.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([start], lr=learning_rate)
for i in range(200):
    optimizer.zero_grad()
    rosenbrock = (1 - start[0]) ** 2 + torch.square(start[1] - start[0])
    rosenbrock.backward()
    optimizer.step()
    if i % 50 == 0:
        print(i, f"{rosenbrock.item():.4f}", start.data)
x = torch.linspace(-2, 2, 9, requires_grad=True)
torch.sigmoid(x).sum().backward()
print(x.grad, torch.allclose(x.grad, torch.sigmoid(x) * (1 - torch.sigmoid(x))))
with torch.no_grad():
    print(model(torch.ones(2, 2)).requires_grad, x.detach().numpy()[:3])
