"""A beginners' course on classification: two circles, logits to labels, non-linearity, four blobs."""

import torch
from torch import nn

torch.manual_seed(42)
n_samples = 1000
angle = torch.linspace(0, 2 * torch.pi, n_samples // 2)
outer = torch.stack([torch.cos(angle), torch.sin(angle)], dim=1)
X = torch.cat([outer, 0.8 * outer]) + 0.03 * torch.randn(n_samples, 2)
y = torch.cat([torch.zeros(n_samples // 2), torch.ones(n_samples // 2)])
order = torch.randperm(n_samples)
X, y = X[order].type(torch.float), y[order].type(torch.float)
print(X[:5], y[:5])
X_train, X_test, y_train, y_test = X[:800], X[800:], y[:800], y[800:]
print(len(X_train), len(X_test), len(y_train), len(y_test))
device = "cuda" if torch.cuda.is_available() else "cpu"


class CircleModelV0(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer_1 = nn.Linear(in_features=2, out_features=5)
        self.layer_2 = nn.Linear(in_features=5, out_features=1)

    def forward(self, x):
        return self.layer_2(self.layer_1(x))


torch.manual_seed(42)
model_0 = CircleModelV0().to(device)
print(model_0)
model_0 = nn.Sequential(
    nn.Linear(in_features=2, out_features=5), nn.Linear(in_features=5, out_features=1)
).to(device)
print(model_0.state_dict())
with torch.inference_mode():
    untrained_preds = model_0(X_test.to(device))
print(f"Length of predictions: {len(untrained_preds)}, Shape: {untrained_preds.shape}")
print(torch.round(torch.sigmoid(untrained_preds[:10])).squeeze(), y_test[:10])
loss_fn = nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(params=model_0.parameters(), lr=0.1)


def accuracy_fn(y_true, y_pred):
    correct = torch.eq(y_true, y_pred).sum().item()
    return (correct / len(y_pred)) * 100


model_0.eval()
with torch.inference_mode():
    y_logits = model_0(X_test.to(device))[:5]
print(y_logits)
y_pred_probs = torch.sigmoid(y_logits)
y_preds = torch.round(y_pred_probs)
y_pred_labels = torch.round(torch.sigmoid(model_0(X_test.to(device))[:5]))
print(y_pred_probs, torch.eq(y_preds.squeeze(), y_pred_labels.squeeze()))


def fit(model, epochs, every):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    torch.manual_seed(42)
    for epoch in range(epochs):
        model.train()
        y_logits = model(X_train).squeeze()
        y_pred = torch.round(torch.sigmoid(y_logits))
        loss = loss_fn(y_logits, y_train)
        acc = accuracy_fn(y_true=y_train, y_pred=y_pred)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.inference_mode():
            test_logits = model(X_test).squeeze()
            test_pred = torch.round(torch.sigmoid(test_logits))
            test_loss = loss_fn(test_logits, y_test)
            test_acc = accuracy_fn(y_true=y_test, y_pred=test_pred)
        if epoch % every == 0:
            print(
                f"Epoch: {epoch} | Loss: {loss:.4f}, Accuracy: {acc:.1f}% | "
                f"Test Loss: {test_loss:.4f}, Test Accuracy: {test_acc:.1f}%"
            )


fit(model_0, 100, 20)


class CircleModelV2(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer_1 = nn.Linear(in_features=2, out_features=10)
        self.layer_2 = nn.Linear(in_features=10, out_features=10)
        self.layer_3 = nn.Linear(in_features=10, out_features=1)
        self.relu = nn.ReLU()

    def forward(self, x):
        return self.layer_3(self.relu(self.layer_2(self.relu(self.layer_1(x)))))


torch.manual_seed(42)
model_3 = CircleModelV2().to(device)
print(model_3)
fit(model_3, 150, 30)
model_3.eval()
with torch.inference_mode():
    y_preds = torch.round(torch.sigmoid(model_3(X_test))).squeeze()
print(y_preds[:10], y[:10])
A = torch.arange(-10, 10, 1, dtype=torch.float32)


def relu(x):
    return torch.maximum(torch.tensor(0), x)


def sigmoid(x):
    return 1 / (1 + torch.exp(-x))


print(relu(A), sigmoid(A))

NUM_CLASSES, NUM_FEATURES = 4, 2
centres = 6 * torch.rand(NUM_CLASSES, NUM_FEATURES)
y_blob = torch.arange(1000) % NUM_CLASSES
X_blob = centres[y_blob] * 2 - 6 + 1.5 * torch.randn(1000, NUM_FEATURES)
y_blob = y_blob.type(torch.LongTensor)
print(X_blob[:3], y_blob[:3], torch.unique(y_blob))


class BlobModel(nn.Module):
    def __init__(self, input_features, output_features, hidden_units=8):
        super().__init__()
        self.linear_layer_stack = nn.Sequential(
            nn.Linear(in_features=input_features, out_features=hidden_units),
            nn.Linear(in_features=hidden_units, out_features=hidden_units),
            nn.Linear(in_features=hidden_units, out_features=output_features),
        )

    def forward(self, x):
        return self.linear_layer_stack(x)


model_4 = BlobModel(input_features=NUM_FEATURES, output_features=NUM_CLASSES, hidden_units=8)
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model_4.parameters(), lr=0.1)
y_pred_probs = torch.softmax(model_4(X_blob[800:]), dim=1)
print(y_pred_probs[:3], torch.sum(y_pred_probs[0]), torch.argmax(y_pred_probs[0]))
for epoch in range(100):
    model_4.train()
    y_logits = model_4(X_blob[:800])
    y_pred = torch.softmax(y_logits, dim=1).argmax(dim=1)
    loss = loss_fn(y_logits, y_blob[:800])
    acc = accuracy_fn(y_true=y_blob[:800], y_pred=y_pred)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 20 == 0:
        print(f"Epoch: {epoch} | Loss: {loss:.4f}, Acc: {acc:.1f}%")
model_4.eval()
with torch.inference_mode():
    y_preds = model_4(X_blob[800:]).softmax(dim=1).argmax(dim=1)
print(f"{accuracy_fn(y_blob[800:], y_preds):.1f}%", torch.bincount(y_preds))
