"""A competition on prices of houses: columns made comparable, a relative loss, k-fold validation, a submission."""

import numpy as np
import torch
from torch import nn
from torch.utils import data

rng = np.random.default_rng(0)
n_train, n_test = 300, 100
n = n_train + n_test
numeric = rng.normal(size=(n, 12)) * np.array([50, 3, 1000, 1, 20, 1, 1, 500, 300, 1, 1, 40]) + 100
zoning = rng.integers(0, 5, n)
style = rng.integers(0, 8, n)
scaled = (numeric - numeric.mean(0)) / numeric.std(0)
prices = np.exp(
    12 + 0.15 * scaled[:, 0] - 0.1 * scaled[:, 3] + 0.05 * zoning + 0.02 * rng.normal(size=n)
)
print(numeric.shape, prices[:3].round(2))
numeric[rng.random(numeric.shape) < 0.05] = np.nan
print(int(np.isnan(numeric).sum()))
numeric = (numeric - np.nanmean(numeric, axis=0)) / np.nanstd(numeric, axis=0)
numeric = np.nan_to_num(numeric, nan=0.0)
all_features = np.concatenate([numeric, np.eye(5)[zoning], np.eye(8)[style]], axis=1)
print(all_features.shape)
train_features = torch.tensor(all_features[:n_train], dtype=torch.float32)
test_features = torch.tensor(all_features[n_train:], dtype=torch.float32)
train_labels = torch.tensor(prices[:n_train].reshape(-1, 1), dtype=torch.float32)
print(train_features.shape, test_features.dtype, train_labels[:2])

torch.manual_seed(0)
loss = nn.MSELoss()
in_features = train_features.shape[1]


def get_net():
    return nn.Sequential(nn.Linear(in_features, 1))


def log_rmse(net, features, labels):
    clipped_preds = torch.clamp(net(features), 1, float("inf"))
    rmse = torch.sqrt(loss(torch.log(clipped_preds), torch.log(labels)))
    return rmse.item()


print(f"{log_rmse(get_net(), train_features, train_labels):.3f}")


def load_array(data_arrays, batch_size, is_train=True):
    dataset = data.TensorDataset(*data_arrays)
    return data.DataLoader(dataset, batch_size, shuffle=is_train)


def train(net, train_features, train_labels, test_features, test_labels,
          num_epochs, learning_rate, weight_decay, batch_size):  # fmt: skip
    train_ls, test_ls = [], []
    train_iter = load_array((train_features, train_labels), batch_size)
    optimizer = torch.optim.Adam(net.parameters(), lr=learning_rate, weight_decay=weight_decay)
    for epoch in range(num_epochs):
        for X, y in train_iter:
            optimizer.zero_grad()
            l = loss(net(X), y)
            l.backward()
            optimizer.step()
        train_ls.append(log_rmse(net, train_features, train_labels))
        if test_labels is not None:
            test_ls.append(log_rmse(net, test_features, test_labels))
    return train_ls, test_ls


def get_k_fold_data(k, i, X, y):
    assert k > 1
    fold_size = X.shape[0] // k
    X_train, y_train = None, None
    for j in range(k):
        idx = slice(j * fold_size, (j + 1) * fold_size)
        X_part, y_part = X[idx, :], y[idx]
        if j == i:
            X_valid, y_valid = X_part, y_part
        elif X_train is None:
            X_train, y_train = X_part, y_part
        else:
            X_train = torch.cat([X_train, X_part], 0)
            y_train = torch.cat([y_train, y_part], 0)
    return X_train, y_train, X_valid, y_valid


print([part.shape for part in get_k_fold_data(5, 2, train_features, train_labels)])


def k_fold(k, X_train, y_train, num_epochs, learning_rate, weight_decay, batch_size):
    train_l_sum, valid_l_sum = 0, 0
    for i in range(k):
        data = get_k_fold_data(k, i, X_train, y_train)
        net = get_net()
        train_ls, valid_ls = train(net, *data, num_epochs, learning_rate, weight_decay, batch_size)
        train_l_sum += train_ls[-1]
        valid_l_sum += valid_ls[-1]
        if i == 0:
            print([f"{l:.3f}" for l in train_ls[::5]], [f"{l:.3f}" for l in valid_ls[::5]])
        print(f"fold {i + 1}, train log rmse {train_ls[-1]:.3f}, valid log rmse {valid_ls[-1]:.3f}")
    return train_l_sum / k, valid_l_sum / k


k, num_epochs, lr, weight_decay, batch_size = 5, 25, 500, 0, 64
train_l, valid_l = k_fold(k, train_features, train_labels, num_epochs, lr, weight_decay, batch_size)
print(
    f"{k}-fold validation: mean train log rmse: {train_l:.3f}, mean valid log rmse: {valid_l:.3f}"
)
print("with decay:")
k_fold(3, train_features, train_labels, 10, lr, 0.1, batch_size)


class HouseMLP(nn.Module):
    def __init__(self, width=256, dropout=0.0):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(in_features, width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(width, 1)
        )

    def forward(self, X):
        return self.net(X)


net = HouseMLP()
print(net)
log_labels = torch.log(train_labels) - 12
optimizer = torch.optim.Adam(net.parameters(), lr=0.005)
for epoch in range(10):
    for X, y in load_array((train_features, log_labels), batch_size):
        optimizer.zero_grad()
        l = loss(net(X), y)
        l.backward()
        optimizer.step()
    if epoch % 3 == 0:
        print(f"epoch {epoch}, {torch.sqrt(loss(net(train_features), log_labels)).item():.3f}")


def train_and_pred():
    net = get_net()
    train_ls, _ = train(
        net, train_features, train_labels, None, None, 20, lr, weight_decay, batch_size
    )
    print(f"train log rmse: {train_ls[-1]:.3f}")
    preds = net(test_features).detach().numpy()
    return preds.reshape(1, -1)[0]


submission = train_and_pred()
print(submission.shape, submission.dtype, bool((submission > 0).all()))
print([f"{v / 1000:.0f}k" for v in submission[:5]])
