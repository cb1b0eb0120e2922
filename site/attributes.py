"""Sentences for the attributes and methods of a tensor that are too short to have a docstring.

Read next: site/reference.py.
"""

NEVER = "False: there are no such tensors here. PyTorch has the name."
ITSELF = "Return the tensor itself: nothing has to be done. PyTorch has the name."
SENTENCES = {
    "H": "The matrix with rows and columns exchanged: (N, M) -> (M, N).",
    "T": "The tensor with its dimensions in reverse order: (N, M) -> (M, N).",
    "mH": "The last two dimensions exchanged: (..., N, M) -> (..., M, N).",
    "mT": "The last two dimensions exchanged: (..., N, M) -> (..., M, N).",
    "shape": "The sizes, as a `graphlab.Size`.",
    "ndim": "The number of dimensions.",
    "dim": "Return the number of dimensions.",
    "dtype": "The type of the entries.",
    "device": "Where the entries are: the processor, always.",
    "get_device": "Return -1, as PyTorch does for the processor.",
    "layout": "`graphlab.strided`, always.",
    "itemsize": "The bytes of one entry.",
    "element_size": "Return the bytes of one entry.",
    "nbytes": "The bytes of all entries.",
    "numel": "Return the number of entries.",
    "nelement": "Return the number of entries.",
    "requires_grad": "Whether a backward pass goes to this tensor. A leaf's can be set.",
    "retains_grad": "Whether a result keeps its gradient, because of `retain_grad()`.",
    "output_nr": "Which of the results of its node it is; 0 for the only one.",
    "is_floating_point": "Return whether the entries are of a floating type.",
    "is_signed": "Return whether the type of the entries has negative numbers.",
    "is_cpu": "True: the memory is the processor's.",
    "real": "The tensor itself: there are no complex numbers.",
    "imag": "Raise RuntimeError: there are no complex numbers.",
    "is_complex": "Return False: there are no complex numbers.",
    "cpu": ITSELF, "conj_physical": ITSELF, "resolve_conj": ITSELF, "resolve_neg": ITSELF,
    "share_memory_": ITSELF, "to_dense": ITSELF,
    **dict.fromkeys(
        ("is_conj", "is_cuda", "is_meta", "is_mkldnn", "is_mps", "is_neg", "is_nested", "is_pinned",
         "is_quantized", "is_shared", "is_sparse", "is_sparse_csr", "is_xla", "is_xpu"),
        NEVER,
    ),
}  # fmt: skip
