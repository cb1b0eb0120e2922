"""Adversarial examples by the sign of the input's gradient, as the official tutorial attacks a digit classifier."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

torch.manual_seed(0)
epsilons = [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]
use_cuda = True
print("CUDA Available: ", torch.cuda.is_available())
device = torch.device("cuda" if use_cuda and torch.cuda.is_available() else "cpu")


def digits(count):
    target = torch.randint(0, 10, (count,))
    rows, cols = torch.meshgrid(torch.arange(28.0), torch.arange(28.0), indexing="ij")
    angle = target.view(-1, 1, 1) * 0.314
    across = (rows - 14) * angle.cos() + (cols - 14) * angle.sin()
    data = (across.abs() < 2.5).float() + 0.05 * torch.randn(count, 28, 28).abs()
    return torch.utils.data.TensorDataset(data.clamp(0, 1).unsqueeze(1), target)


train_loader = torch.utils.data.DataLoader(digits(640), batch_size=64, shuffle=True)
test_loader = torch.utils.data.DataLoader(digits(16), batch_size=1, shuffle=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3, 1)
        self.conv2 = nn.Conv2d(32, 64, 3, 1)
        self.dropout1 = nn.Dropout(0.25)
        self.dropout2 = nn.Dropout(0.5)
        self.fc1 = nn.Linear(9216, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        x = self.conv1(x)
        x = F.relu(x)
        x = self.conv2(x)
        x = F.relu(x)
        x = F.max_pool2d(x, 2)
        x = self.dropout1(x)
        x = torch.flatten(x, 1)
        x = self.fc1(x)
        x = F.relu(x)
        x = self.dropout2(x)
        x = self.fc2(x)
        return F.log_softmax(x, dim=1)


model = Net().to(device)
print(sum(p.numel() for p in model.parameters()))
optimizer = optim.Adadelta(model.parameters(), lr=1.0)
model.train()
for batch_idx, (data, target) in enumerate(train_loader):
    if batch_idx == 5:
        break
    optimizer.zero_grad()
    loss = F.nll_loss(model(data), target)
    loss.backward()
    optimizer.step()
    print(f"batch {batch_idx}: {loss.item():.1f}")
model.eval()


def fgsm_attack(image, epsilon, data_grad):
    sign_data_grad = data_grad.sign()
    perturbed_image = image + epsilon * sign_data_grad
    return torch.clamp(perturbed_image, 0, 1)


def denorm(batch, mean=[0.1307], std=[0.3081]):
    mean, std = torch.tensor(mean).to(device), torch.tensor(std).to(device)
    return batch * std.view(1, -1, 1, 1) + mean.view(1, -1, 1, 1)


print(fgsm_attack(torch.tensor([0.1, 0.5, 0.95]), 0.2, torch.tensor([-3.0, 0.0, 2.0])))
print(denorm(torch.zeros(1, 1, 1, 2)))


def test(model, device, test_loader, epsilon):
    correct = 0
    adv_examples = []
    for data, target in test_loader:
        data, target = data.to(device), target.to(device)
        data.requires_grad = True
        output = model(data)
        init_pred = output.max(1, keepdim=True)[1]
        if init_pred.item() != target.item():
            continue
        loss = F.nll_loss(output, target)
        model.zero_grad()
        loss.backward()
        data_grad = data.grad.data
        perturbed_data = fgsm_attack(data, epsilon, data_grad)
        output = model(perturbed_data)
        final_pred = output.max(1, keepdim=True)[1]
        if final_pred.item() == target.item():
            correct += 1
            if epsilon == 0 and len(adv_examples) < 5:
                adv_ex = perturbed_data.squeeze().detach().cpu().numpy()
                adv_examples.append((init_pred.item(), final_pred.item(), adv_ex))
        elif len(adv_examples) < 5:
            adv_ex = perturbed_data.squeeze().detach().cpu().numpy()
            adv_examples.append((init_pred.item(), final_pred.item(), adv_ex))
    final_acc = correct / float(len(test_loader))
    print(f"Epsilon: {epsilon}\tTest Accuracy = {correct} / {len(test_loader)} = {final_acc}")
    return final_acc, adv_examples


accuracies, examples = [], []
for eps in epsilons[::2]:
    acc, ex = test(model, device, test_loader, eps)
    accuracies.append(acc)
    examples.append(ex)
print(accuracies[0] >= accuracies[-1], [e[2].shape for e in examples[0]][:1])

data, target = next(iter(test_loader))
delta = torch.zeros_like(data, requires_grad=True)
for step in range(3):
    loss = F.nll_loss(model(data + delta), target)
    loss.backward()
    with torch.no_grad():
        delta += 0.05 * delta.grad.sign()
        delta.clamp_(-0.1, 0.1)
        delta.copy_((data + delta).clamp(0, 1) - data)
    delta.grad.zero_()
print(delta.abs().max(), delta.is_leaf, delta.requires_grad, (data + delta).min() >= 0)
