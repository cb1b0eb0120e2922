"""A beginners' course on images: loaders, two baselines, a small VGG, a confusion matrix."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(42)
class_names = [
    "T-shirt",
    "Trouser",
    "Pullover",
    "Dress",
    "Coat",
    "Sandal",
    "Shirt",
    "Sneaker",
    "Bag",
    "Boot",
]
patterns = torch.rand(10, 1, 28, 28)
targets = torch.randint(0, 10, (448,))
images = (0.6 * patterns[targets] + 0.4 * torch.rand(448, 1, 28, 28)).clamp(0, 1)
train_data = TensorDataset(images[:320], targets[:320])
test_data = TensorDataset(images[320:], targets[320:])
image, label = train_data[0]
print(image.shape, class_names[label], len(train_data), len(test_data))
BATCH_SIZE = 32
train_dataloader = DataLoader(train_data, batch_size=BATCH_SIZE, shuffle=True)
test_dataloader = DataLoader(test_data, batch_size=BATCH_SIZE, shuffle=False)
print(f"Length of train dataloader: {len(train_dataloader)} batches of {BATCH_SIZE}")
train_features_batch, train_labels_batch = next(iter(train_dataloader))
print(train_features_batch.shape, train_labels_batch.shape, train_labels_batch[:8])
flatten_model = nn.Flatten()
print(flatten_model(image).shape, flatten_model(train_features_batch).shape)


class FashionMNISTModelV0(nn.Module):
    def __init__(self, input_shape: int, hidden_units: int, output_shape: int):
        super().__init__()
        self.layer_stack = nn.Sequential(
            nn.Flatten(),
            nn.Linear(in_features=input_shape, out_features=hidden_units),
            nn.Linear(in_features=hidden_units, out_features=output_shape),
        )

    def forward(self, x):
        return self.layer_stack(x)


class FashionMNISTModelV1(nn.Module):
    def __init__(self, input_shape: int, hidden_units: int, output_shape: int):
        super().__init__()
        self.layer_stack = nn.Sequential(
            nn.Flatten(),
            nn.Linear(in_features=input_shape, out_features=hidden_units),
            nn.ReLU(),
            nn.Linear(in_features=hidden_units, out_features=output_shape),
            nn.ReLU(),
        )

    def forward(self, x: torch.Tensor):
        return self.layer_stack(x)


class FashionMNISTModelV2(nn.Module):
    def __init__(self, input_shape: int, hidden_units: int, output_shape: int):
        super().__init__()
        self.block_1 = nn.Sequential(
            nn.Conv2d(input_shape, hidden_units, kernel_size=3, stride=1, padding=1),
            nn.ReLU(),
            nn.Conv2d(hidden_units, hidden_units, kernel_size=3, stride=1, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(kernel_size=2, stride=2),
        )
        self.block_2 = nn.Sequential(
            nn.Conv2d(hidden_units, hidden_units, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(hidden_units, hidden_units, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.classifier = nn.Sequential(
            nn.Flatten(),
            nn.Linear(in_features=hidden_units * 7 * 7, out_features=output_shape),
        )

    def forward(self, x: torch.Tensor):
        x = self.block_1(x)
        x = self.block_2(x)
        return self.classifier(x)


def accuracy_fn(y_true, y_pred):
    return torch.eq(y_true, y_pred).sum().item() / len(y_pred) * 100


def train_step(model, data_loader, loss_fn, optimizer):
    train_loss, train_acc = 0, 0
    model.train()
    for X, y in data_loader:
        y_pred = model(X)
        loss = loss_fn(y_pred, y)
        train_loss += loss
        train_acc += accuracy_fn(y_true=y, y_pred=y_pred.argmax(dim=1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    train_loss /= len(data_loader)
    train_acc /= len(data_loader)
    print(f"Train loss: {train_loss:.4f} | Train accuracy: {train_acc:.1f}%")


def eval_model(model, data_loader, loss_fn):
    loss, acc = 0, 0
    model.eval()
    with torch.inference_mode():
        for X, y in data_loader:
            y_pred = model(X)
            loss += loss_fn(y_pred, y)
            acc += accuracy_fn(y_true=y, y_pred=y_pred.argmax(dim=1))
        loss /= len(data_loader)
        acc /= len(data_loader)
    return {
        "model_name": model.__class__.__name__,
        "model_loss": f"{loss.item():.3f}",
        "model_acc": acc,
    }


torch.manual_seed(42)
models = [
    FashionMNISTModelV0(784, 10, 10),
    FashionMNISTModelV1(784, 10, 10),
    FashionMNISTModelV2(1, 10, 10),
]
loss_fn = nn.CrossEntropyLoss()
print(eval_model(models[0], test_dataloader, loss_fn))
for model in models[:2]:
    optimizer = torch.optim.SGD(params=model.parameters(), lr=0.1)
    for epoch in range(3):
        train_step(model, train_dataloader, loss_fn, optimizer)
    print(eval_model(model, test_dataloader, loss_fn))

model_2 = models[2]
print(model_2)
torch.manual_seed(42)
test_image = torch.randn(size=(32, 3, 64, 64))[0]
conv_layer = nn.Conv2d(in_channels=3, out_channels=10, kernel_size=3, stride=1, padding=0)
print(conv_layer(test_image).shape, conv_layer.weight.shape, conv_layer.bias.shape)
conv_layer_2 = nn.Conv2d(in_channels=3, out_channels=10, kernel_size=(5, 5), stride=2, padding=0)
print(conv_layer_2(test_image.unsqueeze(dim=0)).shape)
max_pool_layer = nn.MaxPool2d(kernel_size=2)
print(max_pool_layer(conv_layer(test_image)).shape)
random_tensor = torch.randn(size=(1, 1, 2, 2))
print(random_tensor, max_pool_layer(random_tensor))
print(model_2(image.unsqueeze(0)))
optimizer = torch.optim.SGD(params=model_2.parameters(), lr=0.1)
for epoch in range(2):
    train_step(model_2, train_dataloader, loss_fn, optimizer)
print(eval_model(model_2, test_dataloader, loss_fn))


def make_predictions(model, data):
    pred_probs = []
    model.eval()
    with torch.inference_mode():
        for sample in data:
            pred_logit = model(torch.unsqueeze(sample, dim=0))
            pred_probs.append(torch.softmax(pred_logit.squeeze(), dim=0).cpu())
    return torch.stack(pred_probs)


test_samples, test_labels = images[320:329], targets[320:329]
pred_classes = make_predictions(models[0], test_samples).argmax(dim=1)
print(pred_classes, test_labels)
y_preds = []
with torch.inference_mode():
    for X, y in test_dataloader:
        y_preds.append(torch.softmax(models[1](X), dim=1).argmax(dim=1))
y_pred_tensor = torch.cat(y_preds)
confusion = torch.zeros(10, 10, dtype=torch.int64)
for t, p in zip(targets[320:], y_pred_tensor):
    confusion[t, p] += 1
print(confusion.diagonal().sum() > 100, confusion.sum(dim=1))
