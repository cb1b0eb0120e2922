"""A book's chapters on tensors and data: storage, strides, types, then wine, bicycles, text and images as tensors."""

import os
import tempfile

import numpy as np
import torch

torch.set_printoptions(edgeitems=2, precision=2)
a = torch.ones(3)
a[2] = 2.0
print(a, a[1], float(a[1]))
points = torch.tensor([[4.0, 1.0], [5.0, 3.0], [2.0, 1.0]])
print(points, points.shape, points[0, 1], points[0])
print(points[1:], points[1:, :], points[1:, 0], points[None].shape)
img_t = torch.arange(3 * 5 * 5).reshape(3, 5, 5).float()
weights = torch.tensor([0.2126, 0.7152, 0.0722])
batch_t = torch.stack([img_t, img_t + 1])
print(img_t.mean(-3).shape, batch_t.mean(-3).shape)
unsqueezed_weights = weights.unsqueeze(-1).unsqueeze_(-1)
img_weights = img_t * unsqueezed_weights
print((batch_t * unsqueezed_weights).sum(-3).shape, img_weights.sum(-3))
print(torch.einsum("...chw,c->...hw", img_t, weights).shape)
double_points = torch.ones(10, 2, dtype=torch.double)
short_points = torch.tensor([[1, 2], [3, 4]], dtype=torch.short)
print(short_points.dtype, double_points.to(torch.short).dtype, short_points.double())
points_64 = torch.tensor([0.1, 0.7], dtype=torch.double)
print((points_64 * points_64.to(torch.short)).dtype)
a = torch.ones(3, 2)
a_t = torch.transpose(a, 0, 1)
print(a.shape, a_t.shape, a.transpose(0, 1).shape)
points = torch.tensor([[4.0, 1.0], [5.0, 3.0], [2.0, 1.0]])
points_storage = points.storage()
print(points_storage[0], points.storage()[1], len(points_storage))
points_storage[0] = 2.0
print(points)
second_point = points[1]
print(second_point.storage_offset(), second_point.size(), points.stride(), second_point.stride())
second_point[0] = 10.0
print(points)
second_point = points[1].clone()
second_point[0] = 5.0
points_t = points.t()
print(points, points_t, points.data_ptr() == points_t.data_ptr())
print(points.is_contiguous(), points_t.is_contiguous(), points_t.stride())
points_t_cont = points_t.contiguous()
print(points_t_cont, points_t_cont.stride(), points_t.stride())
some_t = torch.ones(3, 4, 5)
transpose_t = some_t.transpose(0, 2)
print(transpose_t.shape, some_t.stride(), transpose_t.stride())
points_np = points.numpy()
print(points_np, torch.from_numpy(points_np) is points)
path = os.path.join(tempfile.mkdtemp(), "ourpoints.t")
with open(path, "wb") as f:
    torch.save(points, f)
with open(path, "rb") as f:
    print(torch.load(f))
print(a.zero_(), a)

img_arr = (np.arange(6 * 8 * 3).reshape(6, 8, 3) % 255).astype(np.uint8)
img = torch.from_numpy(img_arr)
out = img.permute(2, 0, 1)
print(out.shape, out.dtype, out.stride())
batch = torch.zeros(3, 3, 6, 8, dtype=torch.uint8)
for i in range(3):
    batch[i] = out
batch = batch.float()
batch /= 255.0
for c in range(3):
    mean = torch.mean(batch[:, c])
    std = torch.std(batch[:, c])
    batch[:, c] = (batch[:, c] - mean) / std
print(batch.mean().abs() < 1e-6, batch.std())
vol = torch.unsqueeze(torch.zeros(9, 16, 16), 0)
print(vol.shape)

rng = np.random.default_rng(0)
wineq_numpy = np.column_stack([rng.normal(5, 2, (200, 11)), rng.integers(3, 10, 200)]).astype(
    np.float32
)
wineq = torch.from_numpy(wineq_numpy)
print(wineq.shape, wineq.dtype)
data = wineq[:, :-1]
target = wineq[:, -1].long()
print(data, target)
target_onehot = torch.zeros(target.shape[0], 10)
target_onehot.scatter_(1, target.unsqueeze(1), 1.0)
print(target_onehot[:3], target.unsqueeze(1).shape)
data_mean = torch.mean(data, dim=0)
data_var = torch.var(data, dim=0)
data_normalized = (data - data_mean) / torch.sqrt(data_var)
print(data_mean, data_var, data_normalized)
bad_indexes = target <= 3
print(bad_indexes.shape, bad_indexes.dtype, bad_indexes.sum())
bad_data = data[bad_indexes]
mid_data = data[(target > 3) & (target < 7)]
good_data = data[target >= 7]
for i, args in enumerate(zip(*(d.mean(dim=0) for d in (bad_data, mid_data, good_data)))):
    if i % 4 == 0:
        print("{:2} {:6.2f} {:6.2f} {:6.2f}".format(i, *args))
predicted_indexes = torch.lt(data[:, 6], 5.0)
actual_indexes = target > 5
n_matches = torch.sum(actual_indexes & predicted_indexes).item()
print(n_matches, n_matches / torch.sum(predicted_indexes).item())

hours = np.arange(24 * 10)
bikes_numpy = np.column_stack(
    [hours + 1, hours // 24 + 1, hours % 24, hours // 6 % 4 + 1] + [rng.random(240)] * 6
)
bikes = torch.from_numpy(bikes_numpy.astype(np.float32))
print(bikes.shape, bikes.stride())
daily_bikes = bikes.view(-1, 24, bikes.shape[1])
print(daily_bikes.shape, daily_bikes.stride())
daily_bikes = daily_bikes.transpose(1, 2)
print(daily_bikes.shape, daily_bikes.stride())
first_day = bikes[:24].long()
weather_onehot = torch.zeros(first_day.shape[0], 4)
weather_onehot.scatter_(dim=1, index=first_day[:, 3].unsqueeze(1).long() - 1, value=1.0)
print(torch.cat((bikes[:24], weather_onehot), 1)[:1])
daily_weather_onehot = torch.zeros(daily_bikes.shape[0], 4, daily_bikes.shape[2])
daily_weather_onehot.scatter_(1, daily_bikes[:, 3, :].long().unsqueeze(1) - 1, 1.0)
daily_bikes = torch.cat((daily_bikes, daily_weather_onehot), dim=1)
temp = daily_bikes[:, 4, :]
daily_bikes[:, 4, :] = (temp - torch.min(temp)) / (torch.max(temp) - torch.min(temp))
print(daily_bikes.shape, daily_bikes[0, :, :2])

line = "Impossible, Mr. Bennet, impossible, when I am not acquainted with him"
letter_t = torch.zeros(len(line), 128)
for i, letter in enumerate(line.lower().strip()):
    letter_index = ord(letter) if ord(letter) < 128 else 0
    letter_t[i][letter_index] = 1
print(letter_t.shape, letter_t.sum(0).nonzero().flatten()[:8])
word_list = sorted({word.strip(".,").lower() for word in line.split()})
word2index_dict = {word: i for (i, word) in enumerate(word_list)}
words_in_line = [word.strip(".,").lower() for word in line.split()]
word_t = torch.zeros(len(words_in_line), len(word2index_dict))
for i, word in enumerate(words_in_line):
    word_index = word2index_dict[word]
    word_t[i][word_index] = 1
    if i < 3:
        print("{:2} {:4} {}".format(i, word_index, word))
print(word_t.shape, word_t.argmax(1))
torch.set_printoptions(profile="default")
