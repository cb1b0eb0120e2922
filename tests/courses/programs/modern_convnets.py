"""Inception, residual and dense blocks in one notebook, as a university course compares them."""

from types import SimpleNamespace

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

torch.manual_seed(42)
act_fn_by_name = {"tanh": nn.Tanh, "relu": nn.ReLU, "leakyrelu": nn.LeakyReLU, "gelu": nn.GELU}


class InceptionBlock(nn.Module):
    def __init__(self, c_in, c_red, c_out, act_fn):
        super().__init__()
        self.conv_1x1 = nn.Sequential(
            nn.Conv2d(c_in, c_out["1x1"], kernel_size=1), nn.BatchNorm2d(c_out["1x1"]), act_fn()
        )
        self.conv_3x3 = nn.Sequential(
            nn.Conv2d(c_in, c_red["3x3"], kernel_size=1),
            nn.BatchNorm2d(c_red["3x3"]),
            act_fn(),
            nn.Conv2d(c_red["3x3"], c_out["3x3"], kernel_size=3, padding=1),
            nn.BatchNorm2d(c_out["3x3"]),
            act_fn(),
        )
        self.conv_5x5 = nn.Sequential(
            nn.Conv2d(c_in, c_red["5x5"], kernel_size=1),
            nn.BatchNorm2d(c_red["5x5"]),
            act_fn(),
            nn.Conv2d(c_red["5x5"], c_out["5x5"], kernel_size=5, padding=2),
            nn.BatchNorm2d(c_out["5x5"]),
            act_fn(),
        )
        self.max_pool = nn.Sequential(
            nn.MaxPool2d(kernel_size=3, padding=1, stride=1),
            nn.Conv2d(c_in, c_out["max"], kernel_size=1),
            nn.BatchNorm2d(c_out["max"]),
            act_fn(),
        )

    def forward(self, x):
        branches = [self.conv_1x1(x), self.conv_3x3(x), self.conv_5x5(x), self.max_pool(x)]
        return torch.cat(branches, dim=1)


class PreActResNetBlock(nn.Module):
    def __init__(self, c_in, act_fn, subsample=False, c_out=-1):
        super().__init__()
        if not subsample:
            c_out = c_in
        self.net = nn.Sequential(
            nn.BatchNorm2d(c_in),
            act_fn(),
            nn.Conv2d(c_in, c_out, 3, padding=1, stride=2 if subsample else 1, bias=False),
            nn.BatchNorm2d(c_out),
            act_fn(),
            nn.Conv2d(c_out, c_out, kernel_size=3, padding=1, bias=False),
        )
        self.downsample = None
        if subsample:
            self.downsample = nn.Sequential(
                nn.BatchNorm2d(c_in), act_fn(), nn.Conv2d(c_in, c_out, 1, stride=2, bias=False)
            )

    def forward(self, x):
        z = self.net(x)
        if self.downsample is not None:
            x = self.downsample(x)
        return z + x


class DenseLayer(nn.Module):
    def __init__(self, c_in, bn_size, growth_rate, act_fn):
        super().__init__()
        self.net = nn.Sequential(
            nn.BatchNorm2d(c_in),
            act_fn(),
            nn.Conv2d(c_in, bn_size * growth_rate, kernel_size=1, bias=False),
            nn.BatchNorm2d(bn_size * growth_rate),
            act_fn(),
            nn.Conv2d(bn_size * growth_rate, growth_rate, kernel_size=3, padding=1, bias=False),
        )

    def forward(self, x):
        return torch.cat([self.net(x), x], dim=1)


class Net(nn.Module):
    def __init__(self, blocks, c_hidden, num_classes=10, act_fn_name="relu"):
        super().__init__()
        self.hparams = SimpleNamespace(act_fn_name=act_fn_name, act_fn=act_fn_by_name[act_fn_name])
        self.input_net = nn.Conv2d(3, c_hidden, kernel_size=3, padding=1)
        self.blocks = nn.Sequential(*blocks(c_hidden, self.hparams.act_fn))
        c_out = self.blocks(self.input_net(torch.zeros(1, 3, 16, 16))).shape[1]
        self.output_net = nn.Sequential(
            nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(), nn.Linear(c_out, num_classes)
        )
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)

    def forward(self, x):
        return self.output_net(self.blocks(self.input_net(x)))


def inception(c, act_fn):
    red, out = {"3x3": 16, "5x5": 8}, {"1x1": 16, "3x3": 24, "5x5": 8, "max": 8}
    yield InceptionBlock(c, red, out, act_fn)
    yield nn.MaxPool2d(3, stride=2, padding=1)
    yield InceptionBlock(56, red, {"1x1": 16, "3x3": 32, "5x5": 8, "max": 8}, act_fn)


def resnet(c, act_fn):
    yield PreActResNetBlock(c, act_fn)
    yield PreActResNetBlock(c, act_fn, subsample=True, c_out=2 * c)
    yield PreActResNetBlock(2 * c, act_fn, subsample=True, c_out=4 * c)


def densenet(c, act_fn, bn_size=2, growth_rate=16):
    for i in range(3):
        yield DenseLayer(c + i * growth_rate, bn_size, growth_rate, act_fn)
    c = c + 3 * growth_rate
    yield nn.Sequential(
        nn.BatchNorm2d(c), act_fn(), nn.Conv2d(c, c // 2, 1, bias=False), nn.AvgPool2d(2, stride=2)
    )
    yield DenseLayer(c // 2, bn_size, growth_rate, act_fn)


labels = torch.randint(0, 10, (32,))
images = torch.randn(10, 3, 1, 1)[labels] + 0.5 * torch.randn(32, 3, 32, 32)
images = F.avg_pool2d(images, 2)
print(images.shape, images.mean(dim=[0, 2, 3]), images.std(dim=[0, 2, 3]))
for name, blocks, optimizer_name in (
    ("GoogleNet", inception, "Adam"), ("ResNet", resnet, "SGD"), ("DenseNet", densenet, "Adam")
):  # fmt: skip
    torch.manual_seed(42)
    model = Net(blocks, 16)
    print(name, sum(p.numel() for p in model.parameters()), len(list(model.modules())))
    if optimizer_name == "Adam":
        optimizer = optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-4)
    else:
        optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    scheduler = optim.lr_scheduler.MultiStepLR(optimizer, milestones=[2, 4], gamma=0.1)
    for epoch in range(4):
        preds = model(images)
        loss = F.cross_entropy(preds, labels)
        acc = (preds.argmax(dim=-1) == labels).float().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        print(
            f"{name} {epoch}: loss {loss.item():.3f} acc {acc.item():.2%}", scheduler.get_last_lr()
        )
    model.eval()
    with torch.no_grad():
        print(model(images[:2]).shape, model.input_net.weight.grad.norm().item() > 0)
print(model.blocks[0])
print(model.blocks[3][2].weight.shape, next(model.blocks[0].parameters()).grad.shape)
