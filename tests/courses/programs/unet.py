"""Segmentation with a U-Net: double convolutions, skips with padding, both ways of growing, the Dice loss."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor, optim

torch.manual_seed(0)


class DoubleConv(nn.Module):
    def __init__(self, in_channels, out_channels, mid_channels=None):
        super().__init__()
        if not mid_channels:
            mid_channels = out_channels
        self.double_conv = nn.Sequential(
            nn.Conv2d(in_channels, mid_channels, kernel_size=3, padding=1, bias=False),
            nn.BatchNorm2d(mid_channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(mid_channels, out_channels, kernel_size=3, padding=1, bias=False),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(inplace=True),
        )

    def forward(self, x):
        return self.double_conv(x)


class Down(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.maxpool_conv = nn.Sequential(nn.MaxPool2d(2), DoubleConv(in_channels, out_channels))

    def forward(self, x):
        return self.maxpool_conv(x)


class Up(nn.Module):
    def __init__(self, in_channels, out_channels, bilinear=True):
        super().__init__()
        if bilinear:
            self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
            self.conv = DoubleConv(in_channels, out_channels, in_channels // 2)
        else:
            self.up = nn.ConvTranspose2d(in_channels, in_channels // 2, kernel_size=2, stride=2)
            self.conv = DoubleConv(in_channels, out_channels)

    def forward(self, x1, x2):
        x1 = self.up(x1)
        diffY = x2.size()[2] - x1.size()[2]
        diffX = x2.size()[3] - x1.size()[3]
        x1 = F.pad(x1, [diffX // 2, diffX - diffX // 2, diffY // 2, diffY - diffY // 2])
        return self.conv(torch.cat([x2, x1], dim=1))


class OutConv(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=1)

    def forward(self, x):
        return self.conv(x)


class UNet(nn.Module):
    def __init__(self, n_channels, n_classes, bilinear=False, width=16):
        super().__init__()
        self.n_channels, self.n_classes, self.bilinear = n_channels, n_classes, bilinear
        factor = 2 if bilinear else 1
        self.inc = DoubleConv(n_channels, width)
        self.down1 = Down(width, 2 * width)
        self.down2 = Down(2 * width, 4 * width // factor)
        self.up1 = Up(4 * width, 2 * width // factor, bilinear)
        self.up2 = Up(2 * width, width, bilinear)
        self.outc = OutConv(width, n_classes)

    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.down1(x1)
        x3 = self.down2(x2)
        x = self.up1(x3, x2)
        x = self.up2(x, x1)
        return self.outc(x)


def dice_coeff(input: Tensor, target: Tensor, reduce_batch_first: bool = False, epsilon=1e-6):
    assert input.size() == target.size()
    assert input.dim() == 3 or not reduce_batch_first
    sum_dim = (-1, -2) if input.dim() == 2 or not reduce_batch_first else (-1, -2, -3)
    inter = 2 * (input * target).sum(dim=sum_dim)
    sets_sum = input.sum(dim=sum_dim) + target.sum(dim=sum_dim)
    sets_sum = torch.where(sets_sum == 0, inter, sets_sum)
    return ((inter + epsilon) / (sets_sum + epsilon)).mean()


def multiclass_dice_coeff(input, target, reduce_batch_first=False):
    return dice_coeff(input.flatten(0, 1), target.flatten(0, 1), reduce_batch_first)


def dice_loss(input, target, multiclass=False):
    fn = multiclass_dice_coeff if multiclass else dice_coeff
    return 1 - fn(input, target, reduce_batch_first=True)


a = torch.tensor([[[1.0, 0.0], [1.0, 1.0]]], requires_grad=True)
b = torch.tensor([[[1.0, 1.0], [0.0, 1.0]]])
dice = dice_loss(a, b)
dice.backward()
print(dice, a.grad)

size, count = 30, 8
rows, cols = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
centres = torch.randint(8, 22, (count, 2, 1, 1))
squares = ((rows - centres[:, 0]).abs() < 5) & ((cols - centres[:, 1]).abs() < 5)
rings = ((rows - 15) ** 2 + (cols - 15) ** 2 < 30).expand(count, -1, -1)
true_masks = torch.where(squares, 1, torch.where(rings, 2, 0))
images = torch.stack([true_masks == c for c in range(3)], dim=1) + 0.3 * torch.randn(
    count, 3, size, size
)
print(images.shape, true_masks.dtype, true_masks.unique(return_counts=True))

for bilinear in (False, True):
    torch.manual_seed(1)
    model = UNet(n_channels=3, n_classes=3, bilinear=bilinear)
    print(bilinear, sum(p.numel() for p in model.parameters()), model.up1.up)
    optimizer = optim.RMSprop(
        model.parameters(), lr=1e-4, weight_decay=1e-8, momentum=0.999, foreach=False
    )
    scheduler = optim.lr_scheduler.ReduceLROnPlateau(optimizer, "max", patience=5)
    criterion = nn.CrossEntropyLoss() if model.n_classes > 1 else nn.BCEWithLogitsLoss()
    for epoch in range(4):
        model.train()
        masks_pred = model(images)
        loss = criterion(masks_pred, true_masks)
        loss = loss + dice_loss(
            F.softmax(masks_pred, dim=1).float(),
            F.one_hot(true_masks, model.n_classes).permute(0, 3, 1, 2).float(),
            multiclass=True,
        )
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        print(f"epoch {epoch}: {loss.item():.2f}")
    scheduler.step(1 - loss.item())
    print(masks_pred.shape, optimizer.param_groups[0]["lr"], model.outc.conv.weight.grad.shape)

model.eval()
with torch.inference_mode():
    mask_pred = model(images[:2])
    mask = F.one_hot(mask_pred.argmax(dim=1), 3).permute(0, 3, 1, 2).float()
    print(mask.shape, mask.sum(dim=1).unique(), mask_pred.requires_grad, mask_pred.is_inference())
x = torch.arange(4.0).view(1, 1, 2, 2).requires_grad_()
for layer in (
    nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True),
    nn.Upsample(scale_factor=2, mode="nearest"),
    nn.Upsample(size=(3, 3), mode="bicubic", align_corners=False),
):
    x.grad = None
    layer(x).pow(2).sum().backward()
    print(layer, layer(x), x.grad)
print(F.pad(x.detach(), [1, 0, 0, 1]), model.down1.maxpool_conv[0])
