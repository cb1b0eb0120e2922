"""A spatial transformer network as the official tutorial builds it: localization, affine grid, sampling, training."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

torch.manual_seed(7)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def digits(count):
    target = torch.randint(0, 10, (count,))
    rows, cols = torch.meshgrid(torch.arange(28.0), torch.arange(28.0), indexing="ij")
    angle = target.view(-1, 1, 1) * 0.314 + 0.1 * torch.randn(count, 1, 1)
    across = (rows - 14) * angle.cos() + (cols - 14) * angle.sin()
    data = (across.abs() < 2.5).float() + 0.05 * torch.randn(count, 28, 28)
    return torch.utils.data.TensorDataset((data.unsqueeze(1) - 0.1307) / 0.3081, target)


train_loader = torch.utils.data.DataLoader(digits(256), batch_size=64, shuffle=True)
test_loader = torch.utils.data.DataLoader(digits(64), batch_size=64, shuffle=False)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 10, kernel_size=5)
        self.conv2 = nn.Conv2d(10, 20, kernel_size=5)
        self.conv2_drop = nn.Dropout2d()
        self.fc1 = nn.Linear(320, 50)
        self.fc2 = nn.Linear(50, 10)
        self.localization = nn.Sequential(
            nn.Conv2d(1, 8, kernel_size=7),
            nn.MaxPool2d(2, stride=2),
            nn.ReLU(True),
            nn.Conv2d(8, 10, kernel_size=5),
            nn.MaxPool2d(2, stride=2),
            nn.ReLU(True),
        )
        self.fc_loc = nn.Sequential(nn.Linear(10 * 3 * 3, 32), nn.ReLU(True), nn.Linear(32, 3 * 2))
        self.fc_loc[2].weight.data.zero_()
        self.fc_loc[2].bias.data.copy_(torch.tensor([1, 0, 0, 0, 1, 0], dtype=torch.float))

    def stn(self, x):
        xs = self.localization(x)
        xs = xs.view(-1, 10 * 3 * 3)
        theta = self.fc_loc(xs)
        theta = theta.view(-1, 2, 3)
        grid = F.affine_grid(theta, x.size(), align_corners=False)
        return F.grid_sample(x, grid, align_corners=False)

    def forward(self, x):
        x = self.stn(x)
        x = F.relu(F.max_pool2d(self.conv1(x), 2))
        x = F.relu(F.max_pool2d(self.conv2_drop(self.conv2(x)), 2))
        x = x.view(-1, 320)
        x = F.relu(self.fc1(x))
        x = F.dropout(x, training=self.training)
        x = self.fc2(x)
        return F.log_softmax(x, dim=1)


model = Net().to(device)
print(model)
data, target = next(iter(test_loader))
with torch.no_grad():
    print(torch.allclose(model.stn(data), data, atol=1e-4), data.shape, target[:8])

theta = torch.tensor([[[0.0, -1.0, 0.2], [1.0, 0.0, 0.0]]], requires_grad=True)
picture = torch.arange(16.0).view(1, 1, 4, 4).requires_grad_()
grid = F.affine_grid(theta, [1, 1, 4, 4], align_corners=False)
print(grid[0, 0], grid.grad_fn.name())
turned = F.grid_sample(picture, grid, align_corners=False)
print(turned, turned.grad_fn.name())
turned.square().sum().backward()
print(theta.grad, picture.grad)
for mode in ("bilinear", "nearest"):
    for padding in ("border", "reflection"):
        print(mode, padding, F.grid_sample(picture, grid, mode, padding, align_corners=True).sum())

optimizer = optim.SGD(model.parameters(), lr=0.01)


def train(epoch):
    model.train()
    for batch_idx, (data, target) in enumerate(train_loader):
        data, target = data.to(device), target.to(device)
        optimizer.zero_grad()
        output = model(data)
        loss = F.nll_loss(output, target)
        loss.backward()
        optimizer.step()
        done, whole = batch_idx * len(data), len(train_loader.dataset)
        percent = 100.0 * batch_idx / len(train_loader)
        print(f"Train Epoch: {epoch} [{done}/{whole} ({percent:.0f}%)]\tLoss: {loss.item():.3f}")


def test():
    with torch.no_grad():
        model.eval()
        test_loss = 0
        correct = 0
        for data, target in test_loader:
            data, target = data.to(device), target.to(device)
            output = model(data)
            test_loss += F.nll_loss(output, target, reduction="sum").item()
            pred = output.max(1, keepdim=True)[1]
            correct += pred.eq(target.view_as(pred)).sum().item()
        test_loss /= len(test_loader.dataset)
        count = len(test_loader.dataset)
        print(f"\nTest set: Average loss: {test_loss:.3f}, Accuracy: {correct}/{count}\n")


for epoch in range(1, 3):
    train(epoch)
    test()


def convert_image_np(inp):
    inp = inp.numpy().transpose((1, 2, 0))
    inp = np.array([0.3081]) * inp + np.array([0.1307])
    return np.clip(inp, 0, 1)


with torch.no_grad():
    transformed = model.stn(data.to(device)).cpu()
    print(convert_image_np(transformed[0]).shape, f"{convert_image_np(transformed[0]).mean():.3f}")
print(model.fc_loc[2].bias.data, model.fc_loc[2].weight.grad.shape)
