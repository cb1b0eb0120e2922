"""A vision transformer from scratch, as a university course does it: patches, blocks with layer norm first, a class token."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
import torch.utils.data as data

torch.manual_seed(42)
labels = torch.randint(0, 10, (96,))
prototypes = F.interpolate(torch.randn(10, 3, 8, 8), scale_factor=4, mode="bilinear")
images = prototypes[labels] + 0.3 * torch.randn(96, 3, 32, 32)
train_set, val_set = data.random_split(data.TensorDataset(images, labels), [64, 32])
train_loader = data.DataLoader(train_set, batch_size=32, shuffle=True, drop_last=True)
val_loader = data.DataLoader(val_set, batch_size=32, shuffle=False, drop_last=False)
print(prototypes.shape, len(train_set), val_set.indices[:5], images.std())


def img_to_patch(x, patch_size, flatten_channels=True):
    B, C, H, W = x.shape
    x = x.reshape(B, C, H // patch_size, patch_size, W // patch_size, patch_size)
    x = x.permute(0, 2, 4, 1, 3, 5)
    x = x.flatten(1, 2)
    if flatten_channels:
        x = x.flatten(2, 4)
    return x


patches = img_to_patch(images[:4], patch_size=4, flatten_channels=False)
print(patches.shape, img_to_patch(images[:4], 4).shape)
print(torch.equal(F.unfold(images[:4], 4, stride=4).transpose(1, 2), img_to_patch(images[:4], 4)))


class AttentionBlock(nn.Module):
    def __init__(self, embed_dim, hidden_dim, num_heads, dropout=0.0):
        super().__init__()
        self.layer_norm_1 = nn.LayerNorm(embed_dim)
        self.attn = nn.MultiheadAttention(embed_dim, num_heads)
        self.layer_norm_2 = nn.LayerNorm(embed_dim)
        self.linear = nn.Sequential(
            nn.Linear(embed_dim, hidden_dim),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(hidden_dim, embed_dim),
            nn.Dropout(dropout),
        )

    def forward(self, x):
        inp_x = self.layer_norm_1(x)
        x = x + self.attn(inp_x, inp_x, inp_x)[0]
        x = x + self.linear(self.layer_norm_2(x))
        return x


class VisionTransformer(nn.Module):
    def __init__(
        self, embed_dim, hidden_dim, num_channels, num_heads, num_layers, num_classes,
        patch_size, num_patches, dropout=0.0,
    ):  # fmt: skip
        super().__init__()
        self.patch_size = patch_size
        self.input_layer = nn.Linear(num_channels * (patch_size**2), embed_dim)
        self.transformer = nn.Sequential(
            *(AttentionBlock(embed_dim, hidden_dim, num_heads, dropout) for _ in range(num_layers))
        )
        self.mlp_head = nn.Sequential(nn.LayerNorm(embed_dim), nn.Linear(embed_dim, num_classes))
        self.dropout = nn.Dropout(dropout)
        self.cls_token = nn.Parameter(torch.randn(1, 1, embed_dim))
        self.pos_embedding = nn.Parameter(torch.randn(1, 1 + num_patches, embed_dim))

    def forward(self, x):
        x = img_to_patch(x, self.patch_size)
        B, T, _ = x.shape
        x = self.input_layer(x)
        cls_token = self.cls_token.repeat(B, 1, 1)
        x = torch.cat([cls_token, x], dim=1)
        x = x + self.pos_embedding[:, : T + 1]
        x = self.dropout(x)
        x = x.transpose(0, 1)
        x = self.transformer(x)
        return self.mlp_head(x[0])


model = VisionTransformer(
    embed_dim=64, hidden_dim=128, num_heads=4, num_layers=3, patch_size=4, num_channels=3,
    num_patches=64, num_classes=10, dropout=0.1,
)  # fmt: skip
print(model.transformer[0])
print(sum(p.numel() for p in model.parameters()), [n for n, _ in model.named_parameters()][:6])
optimizer = optim.AdamW(model.parameters(), lr=3e-4)
lr_scheduler = optim.lr_scheduler.MultiStepLR(optimizer, milestones=[2, 3], gamma=0.1)


def calculate_loss(batch, mode):
    imgs, labels = batch
    preds = model(imgs)
    loss = F.cross_entropy(preds, labels)
    acc = (preds.argmax(dim=-1) == labels).float().mean()
    print(f"{mode}_loss {loss.item():.3f}")
    return loss, acc


for epoch in range(3):
    model.train()
    for batch in train_loader:
        loss, acc = calculate_loss(batch, "train")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    lr_scheduler.step()
    model.eval()
    with torch.no_grad():
        for batch in val_loader:
            calculate_loss(batch, "val")
    print(f"epoch {epoch}", lr_scheduler.get_last_lr())
print(model.cls_token.grad.shape, model.pos_embedding.grad.norm() > 0)
block = model.transformer[0]
x = torch.randn(5, 2, 64)
out, weights = block.attn(x, x, x)
print(out.shape, weights.shape, weights.sum(-1))
mask = torch.triu(torch.full((5, 5), float("-inf")), diagonal=1)
causal, weights = block.attn(x, x, x, attn_mask=mask, average_attn_weights=False)
print(weights.shape, weights[0, 0, 0], (weights[..., 0, 1:] == 0).all())
permuted = model.eval()(images[:2, :, :, torch.randperm(32)])
print(permuted.shape, torch.allclose(permuted, model(images[:2])))
