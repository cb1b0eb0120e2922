"""Autoregressive image models as a university course builds them: masked convolutions, gates, sampling pixel by pixel."""

import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

torch.manual_seed(42)


class MaskedConvolution(nn.Module):
    def __init__(self, c_in, c_out, mask, **kwargs):
        super().__init__()
        kernel_size = (mask.shape[0], mask.shape[1])
        dilation = kwargs.get("dilation", 1)
        padding = tuple([dilation * (kernel_size[i] - 1) // 2 for i in range(2)])
        self.conv = nn.Conv2d(c_in, c_out, kernel_size, padding=padding, **kwargs)
        self.register_buffer("mask", mask[None, None])

    def forward(self, x):
        self.conv.weight.data *= self.mask
        return self.conv(x)


class VerticalStackConvolution(MaskedConvolution):
    def __init__(self, c_in, c_out, kernel_size=3, mask_center=False, **kwargs):
        mask = torch.ones(kernel_size, kernel_size)
        mask[kernel_size // 2 + 1 :, :] = 0
        if mask_center:
            mask[kernel_size // 2, :] = 0
        super().__init__(c_in, c_out, mask, **kwargs)


class HorizontalStackConvolution(MaskedConvolution):
    def __init__(self, c_in, c_out, kernel_size=3, mask_center=False, **kwargs):
        mask = torch.ones(1, kernel_size)
        mask[0, kernel_size // 2 + 1 :] = 0
        if mask_center:
            mask[0, kernel_size // 2] = 0
        super().__init__(c_in, c_out, mask, **kwargs)


print(VerticalStackConvolution(1, 2).mask, HorizontalStackConvolution(1, 1, mask_center=True).mask)
inp_img = torch.zeros(1, 1, 11, 11)
inp_img.requires_grad_()


def show_center_recep_field(img, out):
    loss = out[0, :, img.shape[2] // 2, img.shape[3] // 2].sum()
    loss.backward(retain_graph=True)
    img_grads = img.grad.abs()
    img.grad.fill_(0)
    print((img_grads.squeeze() > 0).to(torch.int64)[3:8], int((img_grads > 0).sum()))


horiz_conv = HorizontalStackConvolution(c_in=1, c_out=1, kernel_size=3, mask_center=True)
vert_conv = VerticalStackConvolution(c_in=1, c_out=1, kernel_size=3, mask_center=True)
for conv in (horiz_conv, vert_conv):
    conv.conv.weight.data.fill_(1)
    conv.conv.bias.data.fill_(0)
horiz_img = horiz_conv(inp_img)
show_center_recep_field(inp_img, horiz_img)
vert_img = vert_conv(inp_img)
show_center_recep_field(inp_img, vert_img)
show_center_recep_field(inp_img, vert_img + horiz_img)


class GatedMaskedConv(nn.Module):
    def __init__(self, c_in, **kwargs):
        super().__init__()
        self.conv_vert = VerticalStackConvolution(c_in, c_out=2 * c_in, **kwargs)
        self.conv_horiz = HorizontalStackConvolution(c_in, c_out=2 * c_in, **kwargs)
        self.conv_vert_to_horiz = nn.Conv2d(2 * c_in, 2 * c_in, kernel_size=1, padding=0)
        self.conv_horiz_1x1 = nn.Conv2d(c_in, c_in, kernel_size=1, padding=0)

    def forward(self, v_stack, h_stack):
        v_stack_feat = self.conv_vert(v_stack)
        v_val, v_gate = v_stack_feat.chunk(2, dim=1)
        v_stack_out = torch.tanh(v_val) * torch.sigmoid(v_gate)
        h_stack_feat = self.conv_horiz(h_stack)
        h_stack_feat = h_stack_feat + self.conv_vert_to_horiz(v_stack_feat)
        h_val, h_gate = h_stack_feat.chunk(2, dim=1)
        h_stack_feat = torch.tanh(h_val) * torch.sigmoid(h_gate)
        h_stack_out = self.conv_horiz_1x1(h_stack_feat) + h_stack
        return v_stack_out, h_stack_out


class PixelCNN(nn.Module):
    def __init__(self, c_in, c_hidden, levels):
        super().__init__()
        self.levels = levels
        self.conv_vstack = VerticalStackConvolution(c_in, c_hidden, mask_center=True)
        self.conv_hstack = HorizontalStackConvolution(c_in, c_hidden, mask_center=True)
        self.conv_layers = nn.ModuleList(
            [GatedMaskedConv(c_hidden, dilation=d) for d in (1, 2, 1, 4)]
        )
        self.conv_out = nn.Conv2d(c_hidden, c_in * levels, kernel_size=1, padding=0)

    def forward(self, x):
        x = (x.float() / (self.levels - 1)) * 2 - 1
        v_stack = self.conv_vstack(x)
        h_stack = self.conv_hstack(x)
        for layer in self.conv_layers:
            v_stack, h_stack = layer(v_stack, h_stack)
        out = self.conv_out(F.elu(h_stack))
        return out.reshape(out.shape[0], self.levels, out.shape[1] // self.levels, *out.shape[2:])

    def calc_likelihood(self, x):
        pred = self.forward(x)
        nll = F.cross_entropy(pred, x, reduction="none")
        bpd = nll.mean(dim=[1, 2, 3]) * np.log2(np.exp(1))
        return bpd.mean()

    @torch.no_grad()
    def sample(self, img_shape, img=None):
        if img is None:
            img = torch.zeros(img_shape, dtype=torch.long) - 1
        for h in range(img_shape[2]):
            for w in range(img_shape[3]):
                for c in range(img_shape[1]):
                    if (img[:, c, h, w] != -1).all().item():
                        continue
                    pred = self.forward(img[:, :, : h + 1, :])
                    probs = F.softmax(pred[:, :, c, h, w], dim=-1)
                    img[:, c, h, w] = torch.multinomial(probs, num_samples=1).squeeze(dim=-1)
        return img


test_model = PixelCNN(c_in=1, c_hidden=16, levels=32)
inp = torch.zeros(1, 1, 11, 11)
inp.requires_grad_()
out = test_model(inp)
show_center_recep_field(inp, out.squeeze(dim=2))
print(out.shape, out.grad_fn.name(), [k for k in test_model.state_dict()][:3])

grid = torch.linspace(0, 3, 14)
waves = torch.sin(grid[None, :, None] * torch.rand(32, 1, 1) * 3 + grid[None, None])
images = ((waves * 0.5 + 0.5) * 31).to(torch.long).unsqueeze(1)
print(images.shape, images[0, 0, :2], images.dtype)
optimizer = optim.Adam(test_model.parameters(), lr=1e-3)
scheduler = optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.99)
for step in range(12):
    loss = test_model.calc_likelihood(images)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if step % 3 == 0:
        print(f"step {step}: {loss.item():.3f} bits per dimension, at most {math.log2(32):.0f}")
print(test_model.conv_layers[0].conv_vert.conv.weight.grad.shape, scheduler.get_last_lr())
test_model.eval()
samples = test_model.sample((4, 1, 5, 5))
print(samples.shape, samples.min() >= 0, samples.max() < 32)
half = images[:2].clone()[:, :, :6, :6]
half[:, :, 4:, :] = -1
filled = test_model.sample(half.shape, half)
print(torch.equal(filled[:, :, :4], images[:2, :, :4, :6]), (filled == -1).any())
