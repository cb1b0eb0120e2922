"""Small programs, one a line, that every autograd lesson might hold: each is compared step by step.

A line is Python; its last expression, a tensor or several, is what the pass starts at. `given`
makes what a line may name.

Read next: tests/beside_pytorch/steps.py
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

ARITHMETIC = """
s * s
s * t + s
s * 3 + 2
3 - s
1 / s
2 ** s
s ** 2
s ** t
s ** 0.5
-s / t
s / 2
(s + 1) * (s + 2)
b = 2 * s; (b + 1) + (b + 2)
(s * t).exp().log() + s.sin() * t.cos()
(s.tanh() * t.sigmoid()).sqrt()
x + 1
x * y
x / y
x - s
s * x
x * v
A + v
A * v
A / v
A - v[:2].view(2, 1)
A ** 2
A ** v
A.exp().sum()
A.abs().log().mean()
(A - A.mean()) / A.std()
(A - A.mean(0)) / A.std(0)
(A - A.mean(1, keepdim=True)) / (A.var(1, keepdim=True) + 1e-5).sqrt()
x.clamp(-0.5, 0.5)
x.clamp_min(0)
A.clamp(max=1)
x.abs()
x.sign() * x
x.reciprocal()
x.rsqrt()
x.square()
x.pow(3)
x.neg()
x.log1p()
x.expm1()
x.log2() + x.log10()
x.erf()
x.atan() + x.asinh()
torch.atan2(x, y)
torch.hypot(x, y)
torch.maximum(x, y)
torch.minimum(x, y)
torch.fmod(x, 2)
torch.remainder(x, 2)
torch.where(x > 1, x, y)
torch.where(x > 1, x, 0.)
torch.lerp(x, y, 0.3)
torch.lerp(x, y, w)
torch.addcmul(x, y, w, value=2)
torch.addcdiv(x, y, w, value=2)
torch.logaddexp(x, y)
torch.xlogy(x, y)
torch.copysign(x, y)
torch.sinc(x)
torch.special.entr(x)
torch.logit(x / 4)
torch.lgamma(x)
torch.digamma(x)
torch.polygamma(1, x)
x.frac() + x.trunc()
x.round() + x.floor()
torch.nan_to_num(x)
x.double() * 2
(x.double() * s).float()
x.masked_fill(x > 1, 0.)
x.masked_fill(x > 1, s)
x.masked_select(x > 1)
F.threshold(x, 1, 0.)
""".strip()

REDUCTIONS = """
A.sum()
A.sum(0)
A.sum(1)
A.sum(-1)
A.sum((0, 1))
A.sum(1, keepdim=True)
A.mean()
A.mean(0)
A.mean(-1)
A.mean(-1, keepdim=True)
A.mean((0, 1))
A.prod()
A.prod(1)
A.prod(-1)
A.max()
A.min()
A.max(1).values
A.max(-1).values
A.min(0).values
A.amax(1)
A.amin((0, 1))
A.amax(-1)
A.aminmax()
A.median()
A.median(1).values
A.mode(1).values
A.kthvalue(2, 1).values
A.std()
A.std(1)
A.var(0)
A.var(-1, unbiased=False)
torch.var_mean(A, 1)
torch.std_mean(A, 1)
A.logsumexp(1)
A.logsumexp(-1)
A.cumsum(0)
A.cumsum(-1)
A.cumprod(1)
A.cumprod(-1)
A.cummax(1).values
A.cummin(-1).values
A.logcumsumexp(1)
A.norm()
A.norm(2)
A.norm(1)
A.norm(3)
A.norm(float('inf'))
A.norm(dim=1)
A.norm(2, dim=-1)
A.norm('fro')
torch.linalg.norm(A)
torch.linalg.norm(A, dim=1)
torch.linalg.norm(A, 2)
torch.linalg.norm(A, 'nuc')
torch.linalg.norm(A, 'fro')
torch.linalg.norm(A, 1)
torch.linalg.norm(A, float('inf'))
torch.linalg.vector_norm(A, 3)
torch.linalg.vector_norm(A, 2, dim=-1)
torch.linalg.matrix_norm(A)
x.norm()
x.norm(1)
x.norm(0)
x.norm(float('-inf'))
A.norm(keepdim=True)
F.normalize(A)
F.normalize(A, dim=0)
F.normalize(x, dim=0)
F.cosine_similarity(A, B)
F.cosine_similarity(x, y, dim=0)
F.pairwise_distance(A, B)
torch.dist(x, y)
torch.dist(x, y, 1)
torch.cdist(A, B)
A.softmax(1)
A.softmax(-1)
A.log_softmax(-1)
A.log_softmax(0)
F.softmin(A, 1)
F.gumbel_softmax(A, dim=-1)
A.topk(2).values
A.topk(2, -1).values
A.sort(-1).values
A.sort(0).values
A.argsort(1).float() + A
A.quantile(0.3)
A.nansum()
A.nanmean()
A.nanmedian()
A.nansum(-1)
torch.trapezoid(x)
torch.diff(x)
torch.cov(A)
""".strip()

SHAPES = """
A.t()
A.T
A.mT
A.transpose(0, 1)
A.transpose(-1, -2)
A.swapaxes(0, 1)
A.permute(1, 0)
A.permute(-1, -2)
C.permute(2, 0, 1)
A.view(6)
A.view(3, 2)
A.reshape(-1)
A.t().reshape(-1)
A.t().contiguous().view(-1)
A.flatten()
C.flatten(1)
A.t().flatten()
A.unsqueeze(0)
A.unsqueeze(-1)
A.unsqueeze(1).squeeze(1)
A.unsqueeze(0).squeeze()
A.unsqueeze(-1).squeeze(-1)
A.unsqueeze(0).squeeze((0,))
x.expand(2, 3)
x.expand(2, -1)
x.expand_as(A)
x.repeat(2)
A.repeat(2, 1)
x.repeat_interleave(2)
A.tile(2)
A.broadcast_to((2, 2, 3))
A.flip(0)
A.flip(-1)
A.roll(1)
A.roll(1, -1)
A.rot90()
A.tril()
A.triu(1)
S.diag()
x.diag()
S.diagonal()
C.diagonal(0, 1, 2)
C.diagonal(0, -2, -1)
x.diag_embed()
A.unfold(1, 2, 1)
A.unfold(-1, 2, 1)
A.split(1)
A.split(2, 1)
A.split(1, -1)
A.split([1, 2], -1)
A.chunk(2)
A.chunk(3, -1)
A.unbind()
A.unbind(-1)
A.tensor_split(2)
a, b = A; a * b
A.select(0, 1)
A.select(-1, 1)
A.narrow(1, 0, 2)
A.narrow(-1, 1, 2)
torch.cat([A, B])
torch.cat([A, B], 1)
torch.cat([A, B], -1)
torch.stack([A, B])
torch.stack([A, B], -1)
torch.stack([s, t])
torch.hstack([x, y])
torch.vstack([x, y])
torch.column_stack([x, y])
torch.block_diag(A, B)
torch.cartesian_prod(x, y)
torch.combinations(x)
torch.meshgrid(x, y, indexing='ij')
torch.kron(A, B)
torch.outer(x, y)
torch.movedim(C, 0, -1)
image.unflatten(2, (2, 2))
A.view_as(B)
A.clone()
A.detach() * A
A.contiguous() * 1
A.as_strided((2, 2), (1, 1))
F.pad(A, (1, 1))
F.pad(A, (1, 0, 0, 1), value=2.)
F.pad(C, (1, 1), mode='reflect')
F.pad(C, (1, 1), mode='replicate')
F.pad(C, (1, 1), mode='circular')
F.pixel_shuffle(torch.cat([image] * 2, 1), 2)
F.unfold(image, 2)
F.one_hot(labels, 4).float() @ Q
""".strip()

INDEXING = """
x[0]
x[-1]
x[1:]
x[:-1]
x[::2]
x[None]
x[...]
x[:, None]
x[[0, 2]]
x[torch.tensor([0, 2])]
x[torch.tensor([[0, 2], [1, 1]])]
x[x > 1]
A[0]
A[0, 1]
A[-1, -1]
A[:, 1]
A[:, -1]
A[..., 0]
A[1:, :2]
A[:, 1:]
A[..., 1:]
A[None, :, 0]
A[[0, 1], [1, 2]]
A[[0, 0]]
A[:, [0, 2]]
A[:, torch.tensor([0, 2])]
A[[0, -1], [-1, 0]]
A[torch.tensor([0, 1]), labels]
A[torch.arange(2), labels]
A[A > 1]
A[A.detach() > 1].sum()
A[torch.tensor([True, False])]
A[:, torch.tensor([True, False, True])]
C[:, 0, [1, 2]]
C[[0, 1], :, [1, 2]]
C[0, [0, 1]]
A.gather(1, torch.tensor([[0, 2], [1, 1]]))
A.gather(-1, torch.tensor([[0, 2], [1, 1]]))
A.gather(1, labels[:, None])
A.take(torch.tensor([0, 4]))
A.take_along_dim(torch.tensor([[0], [1]]), 1)
A.index_select(0, torch.tensor([0, 0]))
A.index_select(-1, torch.tensor([0, 0]))
A.index_add(0, torch.tensor([0, 0]), B)
A.index_copy(0, torch.tensor([1, 0]), B)
A.index_fill(1, torch.tensor([1]), 0.)
A.index_put((torch.tensor([0, 1]), torch.tensor([1, 1])), x[:2])
A.scatter(1, torch.tensor([[0, 1], [1, 2]]), B[:, :2])
A.scatter(1, torch.tensor([[0, 1], [1, 2]]), 2.)
A.scatter_add(1, torch.tensor([[0, 1], [1, 2]]), B[:, :2])
A.scatter_add(-1, torch.tensor([[0, 1], [1, 2]]), B[:, :2])
A.scatter_reduce(1, torch.tensor([[0, 1], [1, 2]]), B[:, :2], 'sum')
A.masked_scatter(A > 1, B)
A.diagonal_scatter(x[:2])
A.select_scatter(x, 0, 1)
A.slice_scatter(x[:2, None], 1, 1, 2)
A.tril()[torch.tril_indices(2, 2).unbind()]
torch.tril(S).masked_fill(torch.tril(torch.ones(2, 2)) == 0, float('-inf')).softmax(-1)
z = x * 1; z[0] = 2.; z
z = x * 1; z[0] = s; z
z = x * 1; z[1:] = y[1:]; z
z = A * 1; z[0] = x; z
z = A * 1; z[:, 1] = 3.; z
z = A * 1; z[0] *= 2; z
z = A * 1; z[0].mul_(s); z
z = A * 1; z[z > 1] = 0.; z
z = A * 1; z[[0, 1], [1, 2]] = x[:2]; z
z = x * 1; z += y; z
z = x * 1; z.mul_(y); z
z = x * 1; z.exp_(); z
z = x * 1; z.relu_(); z
z = x * 1; z.clamp_(0, 1); z
z = x * 1; z.zero_(); z + x
z = x * 1; z.fill_(s); z
z = torch.zeros(3); z[0] = s; z[1] = s * t; z
z = torch.zeros(2, 3); z[0] = x; z[1] = y * x; z
z = A * 1; z.masked_fill_(z > 1, 0.); z
z = A * 1; z.copy_(B); z
z = A * 1; z.add_(B, alpha=2); z
z = A * 1; z.t_(); z
z = A * 1; u = z.view(6); u.mul_(2); z
""".strip()

PRODUCTS = """
x @ y
A @ x
A @ B.t()
A @ Q.t()
x @ R
x @ A.t()
C @ R
C @ x
C @ C.mT
x.dot(y)
A.mv(x)
A.mm(B.t())
C.bmm(C.mT)
torch.mv(A, x)
torch.addmm(s, A, B.t())
torch.addmm(x[:2], A, B.t())
torch.addmm(S, A, B.t(), beta=0.5, alpha=2)
torch.addmv(x[:2], A, y)
torch.baddbmm(C[:, :2, :2], C[:, :2], C.mT[:, :, :2])
torch.addbmm(C[0, :2, :2], C[:, :2], C.mT[:, :, :2])
torch.addr(A, x[:2], y)
torch.matmul(A, R)
torch.matmul(x, y)
torch.inner(A, B)
torch.tensordot(A, B, 2)
torch.tensordot(A, R, 1)
torch.einsum('ij,ij->i', A, B)
torch.einsum('ij,jk->ik', A, R)
torch.einsum('ij,j->i', A, x)
torch.einsum('i,i->', x, y)
torch.einsum('i,j->ij', x, y)
torch.einsum('ij->ji', A)
torch.einsum('ij->', A)
torch.einsum('ii->i', S)
torch.einsum('ii', S)
torch.einsum('bij,bjk->bik', C, C.mT)
torch.einsum('bij,kj->bik', C, A)
torch.einsum('ij,ik,jk->', A, A, S3)
torch.linalg.multi_dot([A, R, R.t()])
F.linear(A, Q)
F.linear(A, Q, w4)
F.linear(x, Q)
F.linear(x, Q, w4)
F.linear(C, Q)
F.linear(C, R.t(), R[0])
F.linear(A.unsqueeze(0), Q, w4)
F.linear(x.detach(), Q, w4)
F.linear(x.detach(), Q)
S.matrix_power(2)
S.matrix_power(3)
torch.det(S)
torch.linalg.det(S)
torch.linalg.det(S3)
S3.det() * s
S.logdet().exp()
torch.linalg.slogdet(S)
torch.linalg.inv(S)
S.inverse() @ x[:2]
torch.linalg.solve(S, x[:2])
torch.linalg.solve(S, A)
torch.linalg.cholesky(S)
torch.cholesky_solve(x[:2, None], torch.linalg.cholesky(S))
torch.linalg.qr(S)
torch.linalg.qr(R)
torch.linalg.eigh(S).eigenvalues
torch.linalg.eigvalsh(S)
torch.linalg.svd(A).S
torch.linalg.svdvals(A)
torch.linalg.svd(A, full_matrices=False).S
torch.linalg.pinv(A)
torch.linalg.lstsq(R, R[:, :1]).solution
torch.linalg.matrix_exp(S)
torch.linalg.solve_triangular(S, A, upper=True)
torch.linalg.cond(S)
torch.linalg.cross(x, y)
S.trace()
S @ S @ S
""".strip()

FUNCTIONS = """
F.relu(x - 1)
F.relu6(x)
F.leaky_relu(x - 1)
F.leaky_relu(x - 1, 0.2)
F.elu(x - 1)
F.selu(x - 1)
F.celu(x - 1)
F.gelu(x)
F.gelu(x, approximate='tanh')
F.silu(x)
F.mish(x)
F.hardtanh(x)
F.hardswish(x)
F.hardsigmoid(x)
F.softplus(x)
F.softsign(x)
F.tanhshrink(x)
F.softshrink(x)
F.hardshrink(x)
F.logsigmoid(x)
F.glu(R.t()[:, :2])
F.glu(R.t()[:, :2], -1)
F.prelu(x - 1, s)
F.prelu(A - 1, x)
F.dropout(A, 0.5)
F.dropout(A * 1, 0.5, training=False)
F.alpha_dropout(A, 0.5, training=True)
F.softmax(A, dim=-1)
F.log_softmax(A, dim=-1)
F.embedding(labels, Q)
F.embedding(labels, Q, padding_idx=1)
F.embedding(labels, Q, padding_idx=-1)
F.embedding_bag(labels[None], Q)
F.layer_norm(A, (3,))
F.layer_norm(A, (3,), x, y)
F.layer_norm(A, (2, 3))
F.batch_norm(A, None, None, training=True)
F.batch_norm(A, None, None, x, y, training=True)
F.batch_norm(A, torch.zeros(3), torch.ones(3), x, y)
F.group_norm(torch.cat([image] * 2, 1), 2)
F.group_norm(torch.cat([image] * 2, 1), 2, w4, w4)
F.instance_norm(image)
F.rms_norm(A, (3,))
F.rms_norm(A, (3,), x)
F.local_response_norm(image, 2)
F.conv1d(C, kernel1)
F.conv1d(C, kernel1, w4[:2])
F.conv1d(C, kernel1, padding=1, stride=2)
F.conv2d(image, kernel2)
F.conv2d(image, kernel2, x)
F.conv2d(image, kernel2, x, padding=1, stride=2)
F.conv2d(image, kernel2, padding='same')
F.conv2d(image, kernel2[:2, :1], groups=2)
F.conv_transpose1d(C, C.transpose(0, 1)[:, :, :2])
F.conv_transpose2d(image, kernel2.transpose(0, 1))
F.max_pool1d(C, 2)
F.max_pool2d(image, 2)
F.max_pool2d(image, 2, 1)
F.avg_pool1d(C, 2)
F.avg_pool2d(image, 2)
F.adaptive_avg_pool2d(image, 1)
F.adaptive_avg_pool2d(image, 2)
F.adaptive_max_pool2d(image, 2)
F.adaptive_avg_pool1d(C, 1)
F.lp_pool2d(image, 2, 2)
F.interpolate(image, scale_factor=2)
F.interpolate(image, scale_factor=2, mode='bilinear')
F.interpolate(C, scale_factor=2, mode='linear')
F.grid_sample(image, torch.zeros(1, 2, 2, 2), align_corners=False)
F.affine_grid(A.view(1, 2, 3), (1, 1, 2, 2), align_corners=False)
F.scaled_dot_product_attention(C, C, C)
F.scaled_dot_product_attention(C, C, C, is_causal=True)
F.scaled_dot_product_attention(heads, heads, heads)
F.scaled_dot_product_attention(heads, heads, heads, is_causal=True)
F.scaled_dot_product_attention(heads, heads * 2, heads + 1, attn_mask=torch.ones(3, 3).tril().bool())
F.scaled_dot_product_attention(heads, heads * 2, heads + 1, attn_mask=torch.zeros(3, 3))
F.scaled_dot_product_attention(heads, heads, heads, dropout_p=0.5)
F.scaled_dot_product_attention(heads, heads, heads, scale=0.5)
""".strip()  # noqa: E501

LOSSES = """
F.mse_loss(x, y)
F.mse_loss(x, y.detach())
F.mse_loss(x, y, reduction='sum')
F.mse_loss(x, y, reduction='none')
F.l1_loss(x, y)
F.smooth_l1_loss(x, y)
F.huber_loss(x, y)
F.cross_entropy(A, labels)
F.cross_entropy(A, labels, reduction='sum')
F.cross_entropy(A, labels, reduction='none')
F.cross_entropy(A, labels, weight=x.detach())
F.cross_entropy(A, labels, label_smoothing=0.1)
F.cross_entropy(A, labels, ignore_index=2)
F.cross_entropy(A, B.softmax(1))
F.cross_entropy(A, B.detach().softmax(1))
F.cross_entropy(x, torch.tensor(1))
F.cross_entropy(C.transpose(1, 2), torch.tensor([[0, 1], [1, 2]]))
F.nll_loss(A.log_softmax(1), labels)
F.nll_loss(A.log_softmax(-1), labels)
F.binary_cross_entropy(x / 4, torch.tensor([0., 1., 1.]))
F.binary_cross_entropy(x.sigmoid(), y.sigmoid())
F.binary_cross_entropy_with_logits(x, torch.tensor([0., 1., 1.]))
F.binary_cross_entropy_with_logits(x, torch.tensor([0., 1., 1.]), pos_weight=w.detach())
F.kl_div(A.log_softmax(1), B.softmax(1))
F.kl_div(A.log_softmax(1), B.softmax(1).detach(), reduction='batchmean')
F.kl_div(A.log_softmax(1), B.log_softmax(1), log_target=True)
F.poisson_nll_loss(x, y)
F.gaussian_nll_loss(x, y, w)
F.hinge_embedding_loss(x, torch.tensor([1., -1., 1.]))
F.cosine_embedding_loss(A, B, torch.tensor([1, -1]))
F.margin_ranking_loss(x, y, torch.tensor([1., -1., 1.]))
F.triplet_margin_loss(A, B, A * 2)
F.soft_margin_loss(x, torch.tensor([1., -1., 1.]))
F.multi_margin_loss(A, labels)
F.multilabel_margin_loss(x, torch.tensor([0, -1, 1]))
F.multilabel_soft_margin_loss(A, torch.tensor([[0., 1., 1.], [1., 0., 0.]]))
nn.MSELoss()(x, y)
nn.CrossEntropyLoss()(A, labels)
nn.BCELoss()(x.sigmoid(), torch.tensor([0., 1., 1.]))
nn.BCEWithLogitsLoss()(x, torch.tensor([0., 1., 1.]))
nn.NLLLoss()(A.log_softmax(1), labels)
nn.KLDivLoss(reduction='batchmean')(A.log_softmax(1), B.softmax(1))
nn.HuberLoss()(x, y)
nn.L1Loss()(x, y)
nn.SmoothL1Loss()(x, y)
nn.TripletMarginLoss()(A, B, A * 2)
""".strip()

MODULES = """
nn.Linear(3, 2)(x)
nn.Linear(3, 2)(A)
nn.Linear(3, 2)(A.detach())
nn.Linear(3, 2)(x.detach())
nn.Linear(3, 2, bias=False)(x)
nn.Linear(3, 2, bias=False)(x.detach())
nn.Linear(3, 2, bias=False)(A)
nn.Linear(3, 2)(torch.ones(2, 4, 3))
nn.Linear(3, 2, bias=False)(torch.ones(2, 4, 3))
nn.Linear(1, 1)(s.view(1))
nn.Linear(1, 1)(torch.ones(4, 1))
nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))(x)
nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))(x.detach())
nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))(A)
nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2), nn.LogSoftmax(dim=-1))(A)
F.cross_entropy(nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3))(A.detach()), labels)
F.mse_loss(nn.Linear(3, 1)(A.detach()), torch.ones(2, 1))
nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2))(A)
nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.GELU(), nn.Linear(4, 2))(A)
nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.Linear(4, 2))(A)
nn.Bilinear(3, 3, 2)(A, B)
nn.Embedding(4, 3)(labels)
nn.Embedding(4, 3, padding_idx=0)(labels)
nn.LayerNorm(3)(A)
nn.LayerNorm(3)(x)
nn.LayerNorm((2, 3))(A)
nn.LayerNorm(3, elementwise_affine=False)(A)
nn.RMSNorm(3)(A)
nn.BatchNorm1d(3)(A)
nn.BatchNorm1d(3).eval()(A)
nn.BatchNorm1d(3, affine=False)(A)
nn.BatchNorm2d(2)(image)
nn.GroupNorm(2, 4)(torch.cat([image] * 2, 1))
nn.InstanceNorm2d(2)(image)
nn.InstanceNorm2d(2, affine=True)(image)
nn.LocalResponseNorm(2)(image)
nn.Conv1d(2, 2, 2)(C)
nn.Conv2d(2, 3, 3)(image)
nn.Conv2d(2, 3, 3, padding=1)(image)
nn.Conv2d(2, 3, 3, bias=False)(image)
nn.Conv2d(2, 4, 3, groups=2)(image)
nn.Conv2d(2, 3, 3)(image[0])
nn.ConvTranspose2d(2, 3, 3)(image)
nn.Sequential(nn.Conv2d(2, 3, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(3, 2))(image)
nn.MaxPool2d(2)(image)
nn.AvgPool2d(2)(image)
nn.AdaptiveAvgPool2d(1)(image)
nn.Upsample(scale_factor=2)(image)
nn.Flatten()(image)
nn.PReLU()(x - 1)
nn.RNNCell(3, 4)(A)
nn.RNNCell(3, 4)(x)
nn.RNNCell(3, 4)(A, torch.ones(2, 4) * s)
nn.RNNCell(3, 4, nonlinearity='relu')(A)
nn.RNNCell(3, 4, bias=False)(A)
nn.GRUCell(3, 4)(A)
nn.GRUCell(3, 4)(x)
nn.GRUCell(3, 4)(A, torch.ones(2, 4) * s)
nn.GRUCell(3, 4, bias=False)(A)
nn.LSTMCell(3, 4)(A)
nn.LSTMCell(3, 4)(A)[0]
nn.LSTMCell(3, 4)(x)[0]
nn.LSTMCell(3, 4)(A, (torch.ones(2, 4) * s, torch.ones(2, 4) * t))
nn.LSTMCell(3, 4, bias=False)(A)
c = nn.LSTMCell(3, 4); h = c(A); h = c(B, h); h[0]
c = nn.RNNCell(3, 4); h = c(A); h = c(B, h); h
c = nn.GRUCell(3, 4); h = c(A); h = c(B, h); h
nn.RNN(3, 4)(A)
nn.RNN(3, 4)(A)[0]
nn.RNN(3, 4)(torch.ones(2, 2, 3))[0]
nn.RNN(3, 4, batch_first=True)(torch.ones(2, 2, 3))[1]
nn.RNN(3, 4, num_layers=2)(A)[0]
nn.RNN(3, 4, bidirectional=True)(A)[0]
nn.RNN(3, 4, nonlinearity='relu')(A)[0]
nn.GRU(3, 4)(A)[0]
nn.GRU(3, 4)(A)
nn.GRU(3, 4, num_layers=2)(A)[0]
nn.GRU(3, 4, bidirectional=True)(A)[0]
nn.LSTM(3, 4)(A)[0]
nn.MultiheadAttention(4, 2)(w4[None], w4[None], w4[None])
nn.MultiheadAttention(4, 2)(w4[None], w4[None], w4[None])[0]
nn.MultiheadAttention(4, 2)(w4[None], w4[None], w4[None], need_weights=False)[0]
nn.MultiheadAttention(4, 2)(W4, W4, W4)[0]
nn.MultiheadAttention(4, 2)(W4, W4, W4, need_weights=False)[0]
nn.MultiheadAttention(4, 2)(W4[:, None], W4[:, None], W4[:, None])[0]
nn.MultiheadAttention(4, 2, batch_first=True)(W4[None], W4[None], W4[None])[0]
nn.MultiheadAttention(4, 2, batch_first=True)(W4[None], W4[None], W4[None], need_weights=False)[0]
nn.MultiheadAttention(4, 2, batch_first=True)(W4[None], W4[None] * 2, W4[None] * 3)[0]
nn.MultiheadAttention(4, 2, batch_first=True)(W4[None], W4[None], W4[None], attn_mask=torch.ones(3, 3).triu(1).bool(), need_weights=False)[0]
nn.MultiheadAttention(4, 2, bias=False)(W4, W4, W4)[0]
nn.MultiheadAttention(4, 1, kdim=3, vdim=3)(W4[:2], A, A)[0]
nn.TransformerEncoderLayer(4, 2, 6, dropout=0.)(W4)
nn.TransformerEncoderLayer(4, 2, 6, dropout=0., batch_first=True)(W4[None])
nn.TransformerEncoderLayer(4, 2, 6, dropout=0., norm_first=True)(W4)
nn.TransformerEncoderLayer(4, 2, 6, activation='gelu')(W4)
nn.TransformerDecoderLayer(4, 2, 6, dropout=0.)(W4, W4 * 2)
nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6), 2)(W4)
nn.Softmax(dim=-1)(A)
nn.LogSoftmax(dim=1)(A)
nn.Hardswish()(x)
nn.GLU()(R.t()[:, :2])
nn.CosineSimilarity()(A, B)
nn.PairwiseDistance()(A, B)
nn.ZeroPad2d(1)(image)
nn.ReflectionPad2d(1)(image)
nn.PixelShuffle(2)(torch.cat([image] * 2, 1))
nn.Unfold(2)(image)
nn.Fold((3, 3), 2)(torch.ones(1, 4, 4) * s)
nn.utils.parameters_to_vector(nn.Linear(3, 2).parameters())
torch.autograd.grad((x ** 3).sum(), x, create_graph=True)[0]
torch.autograd.grad(nn.Linear(3, 1)(x).tanh().sum(), x, create_graph=True)[0]
torch.autograd.grad((x.sigmoid() * s).sum(), (x, s), create_graph=True)
""".strip()  # noqa: E501

MORE_MODULES = """
nn.ELU()(x - 1)
nn.Hardshrink()(x)
nn.Hardsigmoid()(x)
nn.Hardtanh()(x)
nn.LeakyReLU()(x - 1)
nn.LogSigmoid()(x)
nn.ReLU6()(x)
nn.SELU()(x - 1)
nn.CELU()(x - 1)
nn.GELU()(x)
nn.GELU('tanh')(x)
nn.Sigmoid()(x)
nn.SiLU()(x)
nn.Mish()(x)
nn.Softplus()(x)
nn.Softshrink()(x)
nn.Softsign()(x)
nn.Tanh()(x)
nn.Tanhshrink()(x)
nn.Threshold(1, 0.)(x)
nn.Softmin(dim=1)(A)
nn.Softmax2d()(image)
nn.ReLU(inplace=True)(x * 1)
nn.Dropout(0.5)(A)
nn.Dropout1d(0.5)(C)
nn.Dropout2d(0.5)(image)
nn.AlphaDropout(0.5)(A)
nn.Conv1d(2, 3, 2, padding='same')(C)
nn.Conv1d(2, 3, 2, padding=1, padding_mode='circular')(C)
nn.ConvTranspose1d(2, 3, 2)(C)
nn.ConvTranspose2d(2, 3, 2, stride=2)(image)
nn.MaxPool1d(2)(C)
nn.MaxPool2d(2, stride=1, padding=1)(image)
nn.AvgPool1d(2)(C)
nn.AdaptiveAvgPool1d(1)(C)
nn.AdaptiveMaxPool1d(2)(C)
nn.AdaptiveMaxPool2d(2)(image)
nn.LPPool2d(2, 2)(image)
nn.MaxUnpool2d(2)(*F.max_pool2d(image, 2, return_indices=True))
nn.ConstantPad1d(1, 2.)(C)
nn.ReplicationPad2d(1)(image)
nn.CircularPad2d(1)(image)
nn.ReflectionPad1d(1)(C)
nn.InstanceNorm1d(2)(C)
nn.BatchNorm3d(2)(image[:, :, None])
nn.GroupNorm(1, 2)(C)
nn.PixelUnshuffle(2)(image)
nn.ChannelShuffle(2)(image)
nn.UpsamplingNearest2d(scale_factor=2)(image)
nn.UpsamplingBilinear2d(scale_factor=2)(image)
nn.Upsample(scale_factor=2, mode='bicubic')(image)
nn.Identity()(x) * 1
nn.Unflatten(1, (1, 3))(A)
nn.Sequential(nn.Flatten(), nn.Linear(32, 2))(image)
nn.PoissonNLLLoss()(x, y)
nn.GaussianNLLLoss()(x, y, w)
nn.HingeEmbeddingLoss()(x, torch.tensor([1., -1., 1.]))
nn.MarginRankingLoss()(x, y, torch.tensor([1., -1., 1.]))
nn.CosineEmbeddingLoss()(A, B, torch.tensor([1, -1]))
nn.MultiMarginLoss()(A, labels)
nn.MultiLabelMarginLoss()(A, torch.tensor([[0, -1, 1], [2, -1, 0]]))
nn.MultiLabelSoftMarginLoss()(A, torch.tensor([[0., 1., 1.], [1., 0., 0.]]))
nn.SoftMarginLoss()(x, torch.tensor([1., -1., 1.]))
nn.TripletMarginWithDistanceLoss()(A, B, A * 2)
nn.CTCLoss()(A[:, None].log_softmax(2), torch.tensor([[1]]), torch.tensor([2]), torch.tensor([1]))
nn.EmbeddingBag(4, 3)(labels[None])
nn.EmbeddingBag(4, 3, mode='sum')(labels[None])
nn.EmbeddingBag(4, 3, mode='max')(labels[None])
nn.RNN(3, 4, bias=False)(A)[0]
nn.RNN(3, 4)(A, torch.ones(1, 4) * s)[0]
nn.GRU(3, 4, batch_first=True)(torch.ones(2, 2, 3))[0]
nn.Transformer(4, 2, 1, 1, 6, dropout=0.)(W4, W4 * 2)
nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 6, dropout=0.), 1)(W4, W4 * 2)
nn.TransformerEncoderLayer(4, 2, 6, dropout=0., batch_first=True)(W4[None], src_mask=nn.Transformer.generate_square_subsequent_mask(3))
nn.TransformerEncoderLayer(4, 2, 6, batch_first=True).eval()(W4[None])
nn.MultiheadAttention(4, 2, add_bias_kv=True)(W4, W4, W4)[0]
nn.MultiheadAttention(4, 2, add_zero_attn=True)(W4, W4, W4)[0]
nn.MultiheadAttention(4, 2, dropout=0.5)(W4, W4, W4)[0]
nn.MultiheadAttention(4, 2)(W4[:, None], W4[:, None], W4[:, None], attn_mask=torch.ones(3, 3).triu(1).bool())
nn.MultiheadAttention(4, 2)(W4[:, None] + 0, W4[:, None] * 2, W4[:, None] * 2, key_padding_mask=torch.tensor([[False, False, True]]))[0]
z = W4[:, None] * 1; nn.MultiheadAttention(4, 2)(z, z, z)[0]
z = W4[None] * 1; nn.MultiheadAttention(4, 2, batch_first=True)(z, z, z, need_weights=False)[0]
z = W4[None] * 1; m = W4[None] * 2; nn.MultiheadAttention(4, 2, batch_first=True)(z, m, m)[0]
z = W4[:, None] * 1; m = W4[:, None] * 2; nn.MultiheadAttention(4, 2)(z, m, m, need_weights=False)[0]
nn.utils.clip_grad_norm_([x], 1.); x * 1
nn.ParameterList([nn.Parameter(x.detach())])[0] * 2
nn.Bilinear(3, 3, 2)(x, y)
nn.Conv3d(2, 3, 2)(image[:, :, None].expand(1, 2, 2, 4, 4))
""".strip()  # noqa: E501

LESSONS = """
torch.einsum('bhqd,bhkd->bhqk', heads, heads)
torch.einsum('bij,bj->bi', C, C[:, 0])
torch.einsum('ij,jk,kl->il', A, R, R.t())
torch.einsum('...i,...i->...', A, B)
torch.einsum('i,ij,j->', x[:2], A, y)
torch.einsum('bi,bj->bij', A, B)
torch.bmm(C, C.mT).softmax(-1) @ C
(heads @ heads.transpose(-2, -1)).masked_fill(torch.ones(3, 3).triu(1).bool(), float('-inf')).softmax(-1) @ heads
heads.transpose(1, 2).contiguous().view(1, 3, 8)
heads.transpose(1, 2).reshape(1, 3, 8)
heads.transpose(1, 2).flatten(2)
A.var(1, keepdim=True).sqrt()
(A - A.max(1, keepdim=True).values).exp() / (A - A.max(1, keepdim=True).values).exp().sum(1, keepdim=True)
-(torch.tensor([[0., 0., 1.], [1., 0., 0.]]) * A.log_softmax(1)).sum(1).mean()
((x - y) ** 2).mean().sqrt()
x.sum().relu() * x.prod()
torch.stack([x, y]).mean(0).norm()
sum(x[i] * y[i] for i in range(3))
x.tolist()[0] * s
torch.cat([A, B]).view(-1)[::2].sum()
A.index_select(1, torch.tensor([0, 2])).mean()
torch.where(A > 1, A ** 2, A.abs()).sum(1).max()
torch.linalg.inv(S) @ S
torch.linalg.solve(S, x[:2]).dot(y[:2])
torch.linalg.eigvalsh(S @ S.t()).sum()
torch.logdet(S @ S.t())
torch.linalg.norm(x - y)
F.normalize(A, dim=1) @ F.normalize(B, dim=1).t()
torch.cumsum(x, 0).log().sum()
x.unfold(0, 2, 1).mean(1)
F.conv1d(x.view(1, 1, 3), y[:2].view(1, 1, 2)).flatten()
F.one_hot(labels, 3).float().mul(A).sum()
F.embedding(torch.tensor([[0, 1], [2, 2]]), Q).mean(1) @ x
F.gelu(F.linear(A, Q, w4)).mean()
torch.func.functional_call(nn.Linear(3, 2), {}, (A,))
""".strip()  # noqa: E501

HOOKS = """
z = x * 2; z.register_hook(lambda g: g * 10); z * y
z = x * 2; z.register_hook(lambda g: None); z.sin() + z.cos()
x.register_hook(lambda g: g.clamp(-0.1, 0.1)); (x * y).exp()
x.register_hook(lambda g: g * 2); s.register_hook(lambda g: -g); x * s
z = x + s; z.grad_fn.register_hook(lambda sent, came: tuple(g * 10 for g in sent)); z * y
z = x + s; z.grad_fn.register_prehook(lambda came: tuple(g * 10 for g in came)); z * y
z = A @ x; z.grad_fn.register_hook(lambda sent, came: (sent[0] * 0, sent[1])); z.sin()
z = x * 2; z.retain_grad(); z.register_hook(lambda g: g * 10); z * y
a, b = A; a.register_hook(lambda g: g * 3); a * b
m = nn.Linear(3, 2); h = m.weight.register_hook(lambda g: g * 0); m(A)
m = nn.Linear(3, 2); h = m.register_full_backward_hook(lambda m, i, o: (i[0] * 5,)); m(A).tanh()
""".strip()

FAMILIES = {
    "arithmetic": ARITHMETIC,
    "reductions": REDUCTIONS,
    "shapes": SHAPES,
    "indexing": INDEXING,
    "products": PRODUCTS,
    "functions": FUNCTIONS,
    "losses": LOSSES,
    "modules": MODULES,
    "more modules": MORE_MODULES,
    "lessons": LESSONS,
    "hooks": HOOKS,
}
PROGRAMS = [line for family in FAMILIES.values() for line in family.splitlines()]


def given(torch: ModuleType) -> dict[str, Any]:
    """The library and its shorthands, and tensors that all require a gradient."""

    def leaf(shape: tuple[int, ...], low: float, high: float) -> Any:
        count = 1
        for size in shape:
            count *= size
        spread = [low + (high - low) * (k * 7 % count + 0.5) / count for k in range(count)]
        return torch.tensor(spread).reshape(shape).requires_grad_()

    return {
        "torch": torch,
        "nn": torch.nn,
        "F": torch.nn.functional,
        "s": leaf((), 1.5, 1.5),
        "t": leaf((), 0.7, 0.7),
        "x": leaf((3,), 0.2, 2.2),
        "y": leaf((3,), 0.5, 1.9),
        "w": leaf((3,), 0.3, 1.1),
        "v": leaf((3,), 1.0, 3.0),
        "w4": leaf((4,), -1.0, 1.0),
        "A": leaf((2, 3), -0.4, 2.4),
        "B": leaf((2, 3), 0.4, 1.6),
        "Q": leaf((4, 3), -1.0, 1.0),
        "R": leaf((3, 4), -1.0, 1.0),
        "W4": leaf((3, 4), -1.5, 1.2),
        "S": torch.tensor([[2.0, 0.5], [0.5, 1.0]], requires_grad=True),
        "S3": torch.tensor([[2.0, 0.5, 0.1], [0.3, 1.0, 0.2], [0.1, 0.4, 3.0]], requires_grad=True),
        "C": leaf((2, 2, 3), -1.0, 1.5),
        "image": leaf((1, 2, 4, 4), -1.0, 1.0),
        "heads": leaf((1, 2, 3, 4), -1.0, 1.0),
        "kernel1": leaf((2, 2, 2), -1.0, 1.0),
        "kernel2": leaf((3, 2, 3, 3), -1.0, 1.0),
        "labels": torch.tensor([2, 0]),
    }
