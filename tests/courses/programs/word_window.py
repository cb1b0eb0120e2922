"""A course on language: tensors and autograd in short, then a window around each word that finds the places."""

import pprint
from functools import partial

import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader

pp = pprint.PrettyPrinter()
list_of_lists = [[1, 2, 3], [4, 5, 6]]
print(list_of_lists, torch.tensor(list_of_lists))
data = torch.tensor([[0.11111111, 1], [2, 3], [4, 5]], dtype=torch.float32)
print(data, torch.tensor([[0.11111111, 1], [2, 3], [4, 5]]).bool())
zeros, ones = torch.zeros(2, 5), torch.ones(3, 4)
rr = torch.arange(1, 10)
print(zeros, ones, rr, rr + 2, rr * 2)
a = torch.tensor([[1, 2], [2, 3], [4, 5]])
b = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 8]])
print("A is", a, "B is", b, "The product is", a.matmul(b), (a @ b).shape)
v = torch.tensor([1, 2, 3])
print(v.shape, v.dot(v), torch.arange(1, 16).view(5, 3))
data = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 8]], dtype=torch.float)
print(data.sum(dim=0), data.sum(dim=1), data.std(dim=1), torch.cumsum(data, dim=0))
x = torch.Tensor([[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]]])
print(x[0], x[:, 0, 0], x[torch.tensor([0, 2]), 0, 0], x[0, 0, 0].item())
x = torch.tensor([2.0], requires_grad=True)
print(x.grad)
y = x * x * 3
y.backward()
pp.pprint(x.grad)
z = x * x * 3
z.backward()
pp.pprint(x.grad)

torch.manual_seed(0)
input = torch.ones(2, 3, 4)
linear = nn.Linear(4, 2)
linear_output = linear(input)
print(linear_output, list(linear.parameters()))
sigmoid = nn.Sigmoid()
print(sigmoid(linear_output))
block = nn.Sequential(nn.Linear(4, 2), nn.Sigmoid())
print(block(input))


class MultilayerPerceptron(nn.Module):
    def __init__(self, input_size, hidden_size):
        super(MultilayerPerceptron, self).__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.model = nn.Sequential(
            nn.Linear(self.input_size, self.hidden_size),
            nn.ReLU(),
            nn.Linear(self.hidden_size, self.input_size),
            nn.Sigmoid(),
        )

    def forward(self, x):
        return self.model(x)


input = torch.randn(2, 5)
model = MultilayerPerceptron(5, 3)
print(model(input), list(model.named_parameters())[1])
y = torch.ones(10, 5)
x = y + torch.randn_like(y)
adam = optim.Adam(model.parameters(), lr=1e-1)
loss_function = nn.BCELoss()
print(loss_function(model(x), y).item())
for epoch in range(10):
    adam.zero_grad()
    y_pred = model(x)
    loss = loss_function(y_pred, y)
    if epoch % 3 == 0:
        print(f"Epoch {epoch}: training loss: {loss:.4f}")
    loss.backward()
    adam.step()
print(loss_function(model(y + torch.randn_like(y)), y).item() < 0.1)

corpus = [
    "We always come to Paris",
    "The teacher is from Australia",
    "I live in Stanford",
    "He comes from Taiwan",
    "The capital of Turkey is Ankara",
]
train_sentences = [sent.lower().split() for sent in corpus]
locations = {"australia", "ankara", "paris", "stanford", "taiwan", "turkey"}
train_labels = [[1 if word in locations else 0 for word in sent] for sent in train_sentences]
print(train_sentences[0], train_labels)
vocabulary = {w for s in train_sentences for w in s} | {"<unk>", "<pad>"}


def pad_window(sentence, window_size, pad_token="<pad>"):
    window = [pad_token] * window_size
    return window + sentence + window


print(pad_window(train_sentences[0], window_size=2))
ix_to_word = sorted(list(vocabulary))
word_to_ix = {word: ind for ind, word in enumerate(ix_to_word)}


def convert_token_to_indices(sentence, word_to_ix):
    return [word_to_ix.get(token, word_to_ix["<unk>"]) for token in sentence]


example_indices = convert_token_to_indices(["we", "always", "come", "to", "kuwait"], word_to_ix)
print(example_indices, [ix_to_word[ind] for ind in example_indices])
embeds = nn.Embedding(len(vocabulary), 5)
print(embeds(torch.tensor(word_to_ix["paris"], dtype=torch.long)), embeds)
indices = torch.tensor([word_to_ix["paris"], word_to_ix["ankara"]], dtype=torch.long)
print(embeds(indices).shape)


def custom_collate_fn(batch, window_size, word_to_ix):
    x, y = zip(*batch)
    x = [pad_window(s, window_size=window_size) for s in x]
    x = [torch.LongTensor(convert_token_to_indices(s, word_to_ix)) for s in x]
    x_padded = nn.utils.rnn.pad_sequence(x, batch_first=True, padding_value=word_to_ix["<pad>"])
    lengths = torch.LongTensor([len(label) for label in y])
    y = [torch.LongTensor(label) for label in y]
    y_padded = nn.utils.rnn.pad_sequence(y, batch_first=True, padding_value=0)
    return x_padded, y_padded, lengths


data = list(zip(train_sentences, train_labels))
batch_size = 2
collate_fn = partial(custom_collate_fn, window_size=2, word_to_ix=word_to_ix)
loader = DataLoader(data, batch_size=batch_size, shuffle=True, collate_fn=collate_fn)
for batched_x, batched_y, batched_lengths in loader:
    print(batched_x, batched_y, batched_lengths)
chunk = batched_x.unfold(1, 2 * 2 + 1, 1)
print(chunk.shape, chunk[0][:2])


class WordWindowClassifier(nn.Module):
    def __init__(self, hyperparameters, vocab_size, pad_ix=0):
        super(WordWindowClassifier, self).__init__()
        self.window_size = hyperparameters["window_size"]
        self.embed_dim = hyperparameters["embed_dim"]
        self.hidden_dim = hyperparameters["hidden_dim"]
        self.embeds = nn.Embedding(vocab_size, self.embed_dim, padding_idx=pad_ix)
        if hyperparameters["freeze_embeddings"]:
            self.embeds.weight.requires_grad = False
        full_window_size = 2 * self.window_size + 1
        self.hidden_layer = nn.Sequential(
            nn.Linear(full_window_size * self.embed_dim, self.hidden_dim), nn.Tanh()
        )
        self.output_layer = nn.Linear(self.hidden_dim, 1)
        self.probabilities = nn.Sigmoid()

    def forward(self, inputs):
        B, L = inputs.size()
        token_windows = inputs.unfold(1, 2 * self.window_size + 1, 1)
        _, adjusted_length, _ = token_windows.size()
        embedded_windows = self.embeds(token_windows)
        embedded_windows = embedded_windows.view(B, adjusted_length, -1)
        layer_1 = self.hidden_layer(embedded_windows)
        output = self.probabilities(self.output_layer(layer_1))
        return output.view(B, -1)


def loss_function(batch_outputs, batch_labels, batch_lengths):
    loss = nn.BCELoss()(batch_outputs, batch_labels.float())
    return loss / batch_lengths.sum().float()


def train_epoch(loss_function, optimizer, model, loader):
    total_loss = 0
    for batch_inputs, batch_labels, batch_lengths in loader:
        optimizer.zero_grad()
        outputs = model.forward(batch_inputs)
        loss = loss_function(outputs, batch_labels, batch_lengths)
        loss.backward()
        optimizer.step()
        total_loss += loss.item()
    return total_loss


hyperparameters = {
    "batch_size": 4,
    "window_size": 2,
    "embed_dim": 25,
    "hidden_dim": 25,
    "freeze_embeddings": False,
}
model = WordWindowClassifier(hyperparameters, len(vocabulary), word_to_ix["<pad>"])
print(model)
optimizer = optim.SGD(model.parameters(), lr=0.01)
for epoch in range(200):
    epoch_loss = train_epoch(loss_function, optimizer, model, loader)
    if epoch % 50 == 0:
        print(f"{epoch_loss:.4f}")
test_corpus = ["She comes from Paris"]
test_data = [(s.lower().split(), [0, 0, 0, 1]) for s in test_corpus]
test_loader = DataLoader(test_data, batch_size=1, shuffle=False, collate_fn=collate_fn)
for test_instance, labels, _ in test_loader:
    outputs = model.forward(test_instance)
    print(labels, [f"{p:.3f}" for p in outputs.detach().flatten().tolist()])
