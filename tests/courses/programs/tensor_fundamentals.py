"""The opening notebook of a course for beginners: scalars to tensors, types, shapes, aggregation, NumPy."""

import numpy as np
import torch

scalar = torch.tensor(7)
print(scalar, scalar.ndim, scalar.item())
vector = torch.tensor([7, 7])
print(vector, vector.ndim, vector.shape)
MATRIX = torch.tensor([[7, 8], [9, 10]])
print(MATRIX, MATRIX.ndim, MATRIX.shape)
TENSOR = torch.tensor([[[1, 2, 3], [3, 6, 9], [2, 4, 5]]])
print(TENSOR, TENSOR.ndim, TENSOR.shape)

torch.manual_seed(42)
random_tensor = torch.rand(size=(3, 4))
print(random_tensor, random_tensor.dtype)
random_image_size_tensor = torch.rand(size=(224, 224, 3))
print(random_image_size_tensor.shape, random_image_size_tensor.ndim)
zeros = torch.zeros(size=(3, 4))
ones = torch.ones(size=(3, 4))
print(zeros, ones.dtype, zeros * random_tensor)
zero_to_ten = torch.arange(start=0, end=10, step=1)
print(zero_to_ten, torch.zeros_like(input=zero_to_ten))

float_32_tensor = torch.tensor([3.0, 6.0, 9.0], dtype=None, device=None, requires_grad=False)
print(float_32_tensor.shape, float_32_tensor.dtype, float_32_tensor.device)
float_16_tensor = float_32_tensor.type(torch.float16)
print(float_16_tensor, (float_16_tensor * float_32_tensor).dtype)
some_tensor = torch.rand(3, 4)
print(some_tensor)
print(f"Shape of tensor: {some_tensor.shape}")
print(f"Datatype of tensor: {some_tensor.dtype}")
print(f"Device tensor is stored on: {some_tensor.device}")

tensor = torch.tensor([1, 2, 3])
print(tensor + 10, tensor * 10, tensor - 10)
print(torch.multiply(tensor, 10), torch.add(tensor, 10))
print(tensor * tensor, torch.matmul(tensor, tensor), tensor @ tensor)
value = 0
for i in range(len(tensor)):
    value += tensor[i] * tensor[i]
print(value)

tensor_A = torch.tensor([[1, 2], [3, 4], [5, 6]], dtype=torch.float32)
tensor_B = torch.tensor([[7, 10], [8, 11], [9, 12]], dtype=torch.float32)
try:
    torch.matmul(tensor_A, tensor_B)
except RuntimeError as error:
    print(error)
print(tensor_B.T, tensor_B.T.shape)
print(torch.mm(tensor_A, tensor_B.T), torch.matmul(tensor_A.T, tensor_B))
torch.manual_seed(42)
linear = torch.nn.Linear(in_features=2, out_features=6)
output = linear(tensor_A)
print(f"Input shape: {tensor_A.shape}\nOutput:\n{output}\n\nOutput shape: {output.shape}")

x = torch.arange(0, 100, 10)
print(x, x.dtype)
print(f"Minimum: {x.min()}, maximum: {x.max()}, sum: {x.sum()}")
print(f"Mean: {x.type(torch.float32).mean()}")
try:
    x.mean()
except RuntimeError as error:
    print(error)
print(torch.max(x), torch.min(x), torch.mean(x.type(torch.float32)), torch.sum(x))
print(f"Index where max value occurs: {x.argmax()}, min: {x.argmin()}")
tensor_int8 = torch.arange(10.0, 100.0, 10.0).type(torch.int8)
print(tensor_int8)

x = torch.arange(1.0, 8.0)
x_reshaped = x.reshape(1, 7)
print(x_reshaped, x_reshaped.shape)
z = x.view(1, 7)
z[:, 0] = 5
print(z, x)
x_stacked = torch.stack([x, x, x, x], dim=0)
print(x_stacked)
x_squeezed = x_reshaped.squeeze()
print(x_squeezed, x_squeezed.shape, x_squeezed.unsqueeze(dim=0).shape)
x_original = torch.rand(size=(224, 224, 3))
x_permuted = x_original.permute(2, 0, 1)
print(f"Previous shape: {x_original.shape}\nNew shape: {x_permuted.shape}")
x = torch.arange(1, 10).reshape(1, 3, 3)
print(f"First square bracket:\n{x[0]}\nSecond: {x[0][0]}\nThird: {x[0][0][0]}")
print(x[:, 0], x[:, :, 1], x[:, 1, 1], x[0, 0, :])

array = np.arange(1.0, 8.0)
tensor = torch.from_numpy(array)
print(array, tensor)
array = array + 1
print(array, tensor)
tensor = torch.ones(7)
numpy_tensor = tensor.numpy()
tensor = tensor + 1
print(tensor, numpy_tensor, numpy_tensor.dtype)

random_tensor_A = torch.rand(3, 4)
random_tensor_B = torch.rand(3, 4)
print(random_tensor_A == random_tensor_B)
RANDOM_SEED = 42
torch.manual_seed(seed=RANDOM_SEED)
random_tensor_C = torch.rand(3, 4)
torch.random.manual_seed(seed=RANDOM_SEED)
random_tensor_D = torch.rand(3, 4)
print(random_tensor_C == random_tensor_D)
device = "cuda" if torch.cuda.is_available() else "cpu"
tensor_on_gpu = torch.tensor([1, 2, 3]).to(device)
print(device, tensor_on_gpu, tensor_on_gpu.cpu().numpy())
