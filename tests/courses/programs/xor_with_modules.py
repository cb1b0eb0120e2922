"""A university tutorial's way: tensors, the graph of a formula, XOR with modules and loaders."""

import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
import torch.utils.data as data

torch.manual_seed(42)
x = torch.Tensor(2, 3, 4)
print(x.shape, x.size(), x.dtype)
print(torch.Tensor([[1, 2], [3, 4]]))
x = torch.rand(2, 3, 4)
print(x)
dim1, dim2, dim3 = x.size()
print("Size:", dim1, dim2, dim3)
np_arr = np.array([[1, 2], [3, 4]])
tensor = torch.from_numpy(np_arr)
print("PyTorch tensor:", tensor)
print("NumPy array:", torch.arange(4).numpy())
x1, x2 = torch.rand(2, 3), torch.rand(2, 3)
y = x1 + x2
x2.add_(x1)
print(torch.equal(x2, y))
x = torch.arange(6)
print(x.view(2, 3), x.view(2, 3).permute(1, 0))
W = torch.arange(9).view(3, 3)
print(torch.matmul(x.view(2, 3), W))
x = torch.arange(12).view(3, 4)
print(x[:, 1], x[0], x[:2, -1], x[1:3, :])

x = torch.ones((3,))
print(x.requires_grad)
x.requires_grad_(True)
x = torch.arange(3, dtype=torch.float32, requires_grad=True)
print("X", x)
a = x + 2
b = a**2
c = b + 3
y = c.mean()
print("Y", y)
y.backward()
print(x.grad)
print("Is the GPU available?", torch.cuda.is_available())
device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
print("Device", device, torch.zeros(2).to(device).device)


class SimpleClassifier(nn.Module):
    def __init__(self, num_inputs, num_hidden, num_outputs):
        super().__init__()
        self.linear1 = nn.Linear(num_inputs, num_hidden)
        self.act_fn = nn.Tanh()
        self.linear2 = nn.Linear(num_hidden, num_outputs)

    def forward(self, x):
        return self.linear2(self.act_fn(self.linear1(x)))


model = SimpleClassifier(num_inputs=2, num_hidden=4, num_outputs=1)
print(model)
for name, param in model.named_parameters():
    print(f"Parameter {name}, shape {param.shape}")


class XORDataset(data.Dataset):
    def __init__(self, size, std=0.1):
        super().__init__()
        rng = np.random.default_rng(0)
        bits = rng.integers(0, 2, (size, 2))
        self.data = torch.tensor(bits + std * rng.standard_normal((size, 2))).float()
        self.label = torch.tensor((bits.sum(1) == 1).astype(np.int64))

    def __len__(self):
        return len(self.label)

    def __getitem__(self, idx):
        return self.data[idx], self.label[idx]


dataset = XORDataset(size=64)
print("Size of dataset:", len(dataset))
print("Data point 0:", dataset[0])
loader = data.DataLoader(dataset, batch_size=8, shuffle=True)
data_inputs, data_labels = next(iter(loader))
print("Data inputs", data_inputs.shape, "\n", data_inputs)
print("Data labels", data_labels.shape, "\n", data_labels)
loss_module = nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model.train()
for epoch in range(3):
    for data_inputs, data_labels in loader:
        preds = model(data_inputs.to(device)).squeeze(dim=1)
        loss = loss_module(preds, data_labels.float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, f"{loss.item():.4f}")
state_dict = model.state_dict()
print(dict(state_dict))
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "our_model.tar")
    torch.save(state_dict, path)
    loaded = torch.load(path)
new_model = SimpleClassifier(num_inputs=2, num_hidden=4, num_outputs=1)
print(new_model.load_state_dict(loaded))
model.eval()
with torch.no_grad():
    preds = torch.sigmoid(new_model(dataset.data).squeeze(dim=1))
    accuracy = ((preds >= 0.5).long() == dataset.label).float().mean()
print(f"{accuracy:.3f}")
