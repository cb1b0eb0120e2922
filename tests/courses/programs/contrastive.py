"""Contrastive learning without labels, as a university course presents it: two views, InfoNCE, logistic regression on top."""

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
import torch.utils.data as data

torch.manual_seed(42)


class ContrastiveTransformations:
    def __init__(self, base_transforms, n_views=2):
        self.base_transforms = base_transforms
        self.n_views = n_views

    def __call__(self, x):
        return [self.base_transforms(x) for i in range(self.n_views)]


def augment(img):
    if torch.rand(1) < 0.5:
        img = img.flip(-1)
    top, left = torch.randint(0, 9, (2,)).tolist()
    img = img[:, top : top + 24, left : left + 24]
    img = F.interpolate(img[None], size=32, mode="bilinear", align_corners=False)[0]
    if torch.rand(1) < 0.2:
        img = img.mean(dim=0, keepdim=True).expand(3, -1, -1)
    brightness = 1 + (torch.rand(3, 1, 1) - 0.5)
    return (img * brightness).clamp(-1, 1)


class Pictures(data.Dataset):
    def __init__(self, count, transform):
        self.labels = torch.arange(count) % 4
        coarse = torch.randn(4, 3, 4, 4)[self.labels] + 0.4 * torch.randn(count, 3, 4, 4)
        self.images = F.interpolate(coarse, size=32, mode="bicubic").clamp(-1, 1)
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.transform(self.images[i]), self.labels[i]


unlabeled = Pictures(64, ContrastiveTransformations(augment, n_views=2))
loader = data.DataLoader(unlabeled, batch_size=32, shuffle=True, drop_last=True)
views, _ = unlabeled[0]
print(len(views), views[0].shape, (views[0] - views[1]).abs().mean() > 0)
print(unlabeled.images.mean(), unlabeled.images.std())


class BasicBlock(nn.Module):
    def __init__(self, c_in, c_out, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(c_in, c_out, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(c_out)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(c_out)
        self.downsample = None
        if stride != 1 or c_in != c_out:
            self.downsample = nn.Sequential(
                nn.Conv2d(c_in, c_out, 1, stride=stride, bias=False), nn.BatchNorm2d(c_out)
            )

    def forward(self, x):
        identity = x if self.downsample is None else self.downsample(x)
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(out + identity)


class SimCLR(nn.Module):
    def __init__(self, hidden_dim, lr, temperature, weight_decay, max_epochs):
        super().__init__()
        assert temperature > 0.0
        self.temperature = temperature
        self.convnet = nn.Sequential(
            nn.Conv2d(3, 16, kernel_size=3, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(16),
            nn.ReLU(inplace=True),
            BasicBlock(16, 16),
            BasicBlock(16, 32, stride=2),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
        )
        self.head = nn.Sequential(
            nn.Linear(32, 4 * hidden_dim),
            nn.ReLU(inplace=True),
            nn.Linear(4 * hidden_dim, hidden_dim),
        )
        self.optimizer = optim.AdamW(self.parameters(), lr=lr, weight_decay=weight_decay)
        self.lr_scheduler = optim.lr_scheduler.CosineAnnealingLR(
            self.optimizer, T_max=max_epochs, eta_min=lr / 50
        )

    def info_nce_loss(self, batch, mode="train"):
        imgs, _ = batch
        imgs = torch.cat(imgs, dim=0)
        feats = self.head(self.convnet(imgs))
        cos_sim = F.cosine_similarity(feats[:, None, :], feats[None, :, :], dim=-1)
        self_mask = torch.eye(cos_sim.shape[0], dtype=torch.bool, device=cos_sim.device)
        cos_sim.masked_fill_(self_mask, -9e15)
        pos_mask = self_mask.roll(shifts=cos_sim.shape[0] // 2, dims=0)
        cos_sim = cos_sim / self.temperature
        nll = -cos_sim[pos_mask] + torch.logsumexp(cos_sim, dim=-1)
        nll = nll.mean()
        comb_sim = torch.cat(
            [cos_sim[pos_mask][:, None], cos_sim.masked_fill(pos_mask, -9e15)], dim=-1
        )
        sim_argsort = comb_sim.argsort(dim=-1, descending=True).argmin(dim=-1)
        top1, top5 = (sim_argsort == 0).float().mean(), (sim_argsort < 5).float().mean()
        return nll, top1, top5, 1 + sim_argsort.float().mean()


model = SimCLR(hidden_dim=32, lr=5e-4, temperature=0.07, weight_decay=1e-4, max_epochs=3)
print(model.convnet[4], sum(p.numel() for p in model.parameters()))
mask = torch.eye(4, dtype=torch.bool)
print(mask.roll(shifts=2, dims=0), torch.logsumexp(torch.tensor([[1.0, 2.0, -9e15]]), dim=-1))
for epoch in range(3):
    model.train()
    for batch in loader:
        loss, top1, top5, mean_pos = model.info_nce_loss(batch)
        model.optimizer.zero_grad()
        loss.backward()
        model.optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.2f}", 0 <= top1 <= top5 <= 1, 1 <= mean_pos <= 64)
    model.lr_scheduler.step()
    print(model.lr_scheduler.get_last_lr())


@torch.no_grad()
def prepare_data_features(model, dataset):
    network = copy.deepcopy(model.convnet)
    network.eval()
    feats, labels = [], []
    for batch_imgs, batch_labels in data.DataLoader(dataset, batch_size=32, shuffle=False):
        feats.append(network(batch_imgs).detach().cpu())
        labels.append(batch_labels)
    feats, labels = torch.cat(feats, dim=0), torch.cat(labels, dim=0)
    labels, idxs = labels.sort(stable=True)
    return data.TensorDataset(feats[idxs], labels)


labeled = Pictures(48, lambda img: img)
train_feats = prepare_data_features(model, labeled)
print(train_feats.tensors[0].shape, train_feats.tensors[1][::12])
regression = nn.Linear(32, 4)
optimizer = optim.AdamW(regression.parameters(), lr=1e-2, weight_decay=1e-3)
lr_scheduler = optim.lr_scheduler.MultiStepLR(optimizer, milestones=[12, 18], gamma=0.1)
for epoch in range(20):
    for feats, labels in data.DataLoader(train_feats, batch_size=64, shuffle=True):
        loss = F.cross_entropy(regression(feats), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    lr_scheduler.step()
    if epoch % 5 == 0:
        print(f"epoch {epoch}: {loss.item():.2f}", lr_scheduler.get_last_lr())
print(regression.weight.grad.shape, model.head[0].weight.grad.norm() > 0)
