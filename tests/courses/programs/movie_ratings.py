"""A practical course's collaborative filtering: dot products, biases, weight decay, embeddings of one's own."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

last_skywalker = np.array([0.98, 0.9, -0.9])
user1 = np.array([0.9, 0.8, -0.6])
casablanca = np.array([-0.99, -0.3, 0.8])
print(f"{(user1 * last_skywalker).sum():.3f} {(user1 * casablanca).sum():.3f}")

torch.manual_seed(42)
n_users, n_movies, n_ratings = 200, 300, 3200
taste, style = torch.randn(n_users, 3), torch.randn(n_movies, 3)
movie_quality = 0.6 * torch.randn(n_movies)
users = torch.randint(0, n_users, (n_ratings,))
movies = torch.randint(0, n_movies, (n_ratings,))
score = (
    3.4
    + (taste[users] * style[movies]).sum(1) * 0.4
    + movie_quality[movies]
    + 0.3 * torch.randn(n_ratings)
)
ratings = score.round().clamp(1, 5)
print(torch.unique(ratings, return_counts=True))
x_all, y_all = torch.stack([users, movies], dim=1), ratings[:, None]
train_dl = DataLoader(TensorDataset(x_all[:2560], y_all[:2560]), batch_size=64, shuffle=True)
valid_dl = DataLoader(TensorDataset(x_all[2560:], y_all[2560:]), batch_size=64)
n_factors = 5
user_factors = torch.randn(n_users, n_factors)
movie_factors = torch.randn(n_movies, n_factors)


def one_hot(x, c):
    res = torch.zeros(c, dtype=torch.uint8)
    res[x] = 1
    return res


one_hot_3 = one_hot(3, n_users).float()
print(user_factors.t() @ one_hot_3, user_factors[3])


def sigmoid_range(x, low, high):
    return torch.sigmoid(x) * (high - low) + low


def Embedding(ni, nf, std=0.01):
    emb = nn.Embedding(ni, nf)
    nn.init.trunc_normal_(emb.weight.data, std=std)
    return emb


class DotProduct(nn.Module):
    def __init__(self, n_users, n_movies, n_factors, y_range=(0, 5.5)):
        super().__init__()
        self.user_factors = Embedding(n_users, n_factors)
        self.movie_factors = Embedding(n_movies, n_factors)
        self.y_range = y_range

    def forward(self, x):
        users = self.user_factors(x[:, 0])
        movies = self.movie_factors(x[:, 1])
        return sigmoid_range((users * movies).sum(dim=1), *self.y_range)


class DotProductBias(nn.Module):
    def __init__(self, n_users, n_movies, n_factors, y_range=(0, 5.5)):
        super().__init__()
        self.user_factors = Embedding(n_users, n_factors)
        self.user_bias = Embedding(n_users, 1)
        self.movie_factors = Embedding(n_movies, n_factors)
        self.movie_bias = Embedding(n_movies, 1)
        self.y_range = y_range

    def forward(self, x):
        users = self.user_factors(x[:, 0])
        movies = self.movie_factors(x[:, 1])
        res = (users * movies).sum(dim=1, keepdim=True)
        res += self.user_bias(x[:, 0]) + self.movie_bias(x[:, 1])
        return sigmoid_range(res, *self.y_range)


def mse_flat(preds, targs):
    return nn.functional.mse_loss(preds.view(-1), targs.view(-1))


def fit_one_cycle(model, epochs, lr, wd=0.0):
    opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=wd)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=lr, total_steps=epochs * len(train_dl))
    for epoch in range(epochs):
        model.train()
        losses = []
        for xb, yb in train_dl:
            loss = mse_flat(model(xb), yb)
            loss.backward()
            opt.step()
            sched.step()
            opt.zero_grad()
            losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            valid = torch.stack([mse_flat(model(xb), yb) for xb, yb in valid_dl]).mean()
        print(f"{epoch} {sum(losses) / len(losses):.3f} {valid:.3f}")


x, y = next(iter(train_dl))
print(x.shape, y.shape, x[:3])
fit_one_cycle(DotProduct(n_users, n_movies, 50), 2, 5e-3)
fit_one_cycle(DotProductBias(n_users, n_movies, 50), 2, 5e-3)
fit_one_cycle(DotProductBias(n_users, n_movies, 50), 2, 5e-3, wd=0.1)


class T(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.ones(3)


print(list(T().parameters()))


class T(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.ones(3))


print(list(T().parameters()))


class T(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(1, 3, bias=False)


t = T()
print(list(t.parameters()), type(t.a.weight).__name__)


def create_params(size):
    return nn.Parameter(torch.zeros(*size).normal_(0, 0.01))


class DotProductBias(nn.Module):
    def __init__(self, n_users, n_movies, n_factors, y_range=(0, 5.5)):
        super().__init__()
        self.user_factors = create_params([n_users, n_factors])
        self.user_bias = create_params([n_users])
        self.movie_factors = create_params([n_movies, n_factors])
        self.movie_bias = create_params([n_movies])
        self.y_range = y_range

    def forward(self, x):
        users = self.user_factors[x[:, 0]]
        movies = self.movie_factors[x[:, 1]]
        res = (users * movies).sum(dim=1)
        res += self.user_bias[x[:, 0]] + self.movie_bias[x[:, 1]]
        return sigmoid_range(res, *self.y_range)


model = DotProductBias(n_users, n_movies, 50)
fit_one_cycle(model, 3, 5e-3, wd=0.1)
movie_bias = model.movie_bias.squeeze()
idxs = movie_bias.argsort()[:2]
print(movie_bias.shape, movie_quality[idxs] < 0)
idxs = movie_bias.argsort(descending=True)[:2]
print(movie_quality[idxs] > 0)
movie_w = model.movie_factors.detach()
centred = movie_w - movie_w.mean(0)
U, S, V = torch.svd(centred.t())
movie_pca = centred @ U[:, :3]
print(movie_pca.shape, movie_pca.mean(0).abs().max() < 1e-5)
distances = nn.CosineSimilarity(dim=1)(movie_w, movie_w[7][None])
print(distances.argsort(descending=True)[0], distances[7], distances.shape)


class CollabNN(nn.Module):
    def __init__(self, user_sz, item_sz, y_range=(0, 5.5), n_act=100):
        super().__init__()
        self.user_factors = Embedding(*user_sz)
        self.item_factors = Embedding(*item_sz)
        self.layers = nn.Sequential(
            nn.Linear(user_sz[1] + item_sz[1], n_act), nn.ReLU(), nn.Linear(n_act, 1)
        )
        self.y_range = y_range

    def forward(self, x):
        embs = self.user_factors(x[:, 0]), self.item_factors(x[:, 1])
        x = self.layers(torch.cat(embs, dim=1))
        return sigmoid_range(x, *self.y_range)


model = CollabNN((200, 31), (300, 39))
print(model)
fit_one_cycle(model, 3, 5e-3, wd=0.01)
