"""An introduction in parts: one neuron, a network by hand, training, validation with dropout, a checkpoint."""

import os
import tempfile
from collections import OrderedDict

import torch
import torch.nn.functional as F
from torch import nn, optim


def activation(x):
    return 1 / (1 + torch.exp(-x))


torch.manual_seed(7)
features = torch.randn((1, 5))
weights = torch.randn_like(features)
bias = torch.randn((1, 1))
print(activation(torch.sum(features * weights) + bias))
print(activation((features * weights).sum() + bias))
try:
    torch.mm(features, weights)
except RuntimeError as error:
    print(error)
print(activation(torch.mm(features, weights.view(5, 1)) + bias))
torch.manual_seed(7)
features = torch.randn((1, 3))
n_input, n_hidden, n_output = features.shape[1], 2, 1
W1 = torch.randn(n_input, n_hidden)
W2 = torch.randn(n_hidden, n_output)
B1 = torch.randn((1, n_hidden))
B2 = torch.randn((1, n_output))
h = activation(torch.mm(features, W1) + B1)
print(activation(torch.mm(h, W2) + B2))
b = torch.arange(12.0).view(4, 3).numpy()
print(torch.from_numpy(b).mul_(2), b[0])

patterns = torch.rand(10, 1, 28, 28)
labels_all = torch.randint(0, 10, (768,))
images_all = 0.55 * patterns[labels_all] + 0.45 * torch.rand(768, 1, 28, 28)
images_all = (images_all - 0.5) / 0.5
trainset = torch.utils.data.TensorDataset(images_all[:640], labels_all[:640])
testset = torch.utils.data.TensorDataset(images_all[640:], labels_all[640:])
trainloader = torch.utils.data.DataLoader(trainset, batch_size=64, shuffle=True)
testloader = torch.utils.data.DataLoader(testset, batch_size=64, shuffle=True)
images, labels = next(iter(trainloader))
print(type(images).__name__, images.shape, labels.shape)
inputs = images.view(images.shape[0], -1)
w1, b1 = torch.randn(784, 256), torch.randn(256)
w2, b2 = torch.randn(256, 10), torch.randn(10)
h = activation(torch.mm(inputs, w1) + b1)
out = torch.mm(h, w2) + b2


def softmax(x):
    return torch.exp(x) / torch.sum(torch.exp(x), dim=1).view(-1, 1)


probabilities = softmax(out)
print(probabilities.shape, probabilities.sum(dim=1)[:4])


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 128)
        self.fc2 = nn.Linear(128, 64)
        self.fc3 = nn.Linear(64, 10)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return F.softmax(self.fc3(x), dim=1)


model = Network()
print(model)
print(model.fc1.weight[0, :5], model.fc1.bias[:5])
model.fc1.bias.data.fill_(0)
model.fc1.weight.data.normal_(std=0.01)
print(model.fc1.bias[:5], model.fc1.weight[0, :5])
images.resize_(64, 1, 784)
ps = model.forward(images[0, :])
print(ps)
model = nn.Sequential(
    OrderedDict(
        [("fc1", nn.Linear(784, 128)), ("relu1", nn.ReLU()), ("output", nn.Linear(128, 10))]
    )
)
print(model[0], model.fc1 is model[0], model)

model = nn.Sequential(
    nn.Linear(784, 128),
    nn.ReLU(),
    nn.Linear(128, 64),
    nn.ReLU(),
    nn.Linear(64, 10),
    nn.LogSoftmax(dim=1),
)
criterion = nn.NLLLoss()
images, labels = next(iter(trainloader))
images = images.view(images.shape[0], -1)
logps = model(images)
loss = criterion(logps, labels)
print(loss)
x = torch.randn(2, 2, requires_grad=True)
y = x**2
print(x, y, type(y.grad_fn).__name__)
z = y.mean()
print(z, x.grad)
z.backward()
print(x.grad, x / 2)
print("Before backward pass:", model[0].weight.grad)
loss.backward()
print("After backward pass:", model[0].weight.grad[:3, :4])
optimizer = optim.SGD(model.parameters(), lr=0.01)
print("Initial weights - ", model[0].weight[0, :4])
optimizer.step()
print("Updated weights - ", model[0].weight[0, :4])
optimizer = optim.SGD(model.parameters(), lr=0.003)
epochs = 5
for e in range(epochs):
    running_loss = 0
    for images, labels in trainloader:
        images = images.view(images.shape[0], -1)
        optimizer.zero_grad()
        output = model(images)
        loss = criterion(output, labels)
        loss.backward()
        optimizer.step()
        running_loss += loss.item()
    else:
        print(f"Training loss: {running_loss / len(trainloader):.4f}")
with torch.no_grad():
    logps = model(images[:1])
print(torch.exp(logps))


class Classifier(nn.Module):
    def __init__(self, input_size=784, output_size=10, hidden_layers=(256, 128, 64), drop_p=0.2):
        super().__init__()
        self.hidden_layers = nn.ModuleList([nn.Linear(input_size, hidden_layers[0])])
        layer_sizes = zip(hidden_layers[:-1], hidden_layers[1:])
        self.hidden_layers.extend([nn.Linear(h1, h2) for h1, h2 in layer_sizes])
        self.output = nn.Linear(hidden_layers[-1], output_size)
        self.dropout = nn.Dropout(p=drop_p)

    def forward(self, x):
        x = x.view(x.shape[0], -1)
        for each in self.hidden_layers:
            x = self.dropout(F.relu(each(x)))
        return F.log_softmax(self.output(x), dim=1)


model = Classifier()
images, labels = next(iter(testloader))
ps = torch.exp(model(images))
top_p, top_class = ps.topk(1, dim=1)
print(ps.shape, top_class[:5].flatten())
equals = top_class == labels.view(*top_class.shape)
print(f"Accuracy: {torch.mean(equals.type(torch.FloatTensor)).item() * 100}%")
optimizer = optim.Adam(model.parameters(), lr=0.003)
for e in range(3):
    tot_train_loss = 0
    for images, labels in trainloader:
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        tot_train_loss += loss.item()
        loss.backward()
        optimizer.step()
    test_loss, accuracy = 0, 0
    with torch.no_grad():
        model.eval()
        for images, labels in testloader:
            log_ps = model(images)
            test_loss += criterion(log_ps, labels)
            top_p, top_class = torch.exp(log_ps).topk(1, dim=1)
            equals = top_class == labels.view(*top_class.shape)
            accuracy += torch.mean(equals.type(torch.FloatTensor))
    model.train()
    print(
        f"Epoch: {e + 1}/3.. Training Loss: {tot_train_loss / len(trainloader):.2f}.. "
        f"Test Loss: {test_loss / len(testloader):.2f}.. Test Accuracy: {accuracy / len(testloader):.2f}"
    )
print(model, "\n\n", model.state_dict().keys())
checkpoint = {
    "input_size": 784,
    "output_size": 10,
    "hidden_layers": [each.out_features for each in model.hidden_layers],
    "state_dict": model.state_dict(),
}
path = os.path.join(tempfile.mkdtemp(), "checkpoint.pth")
torch.save(checkpoint, path)


def load_checkpoint(filepath):
    checkpoint = torch.load(filepath)
    model = Classifier(
        checkpoint["input_size"], checkpoint["output_size"], checkpoint["hidden_layers"]
    )
    model.load_state_dict(checkpoint["state_dict"])
    return model


print(load_checkpoint(path))
try:
    Classifier(784, 10, [400, 200, 100]).load_state_dict(torch.load(path)["state_dict"])
except RuntimeError as error:
    print(error)
