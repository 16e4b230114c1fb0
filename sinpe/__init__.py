"""正弦位置编码（sinusoidal positional encoding）。

``import sinpe`` 只依赖 NumPy；画图在 ``sinpe.plotting``，用到时再导入。
"""

from .conventions import CONVENTIONS, Convention, convert, encode
from .encoding import (
    add_positional_encoding,
    angular_frequencies,
    encode_positions,
    sinusoidal_positional_encoding,
    wavelengths,
)
from .grid import grid_encoding
from .identification import Match, identify
from .masks import positions_from_mask
from .relative import shift_matrix, similarity_kernel
from .rotary import rotary_embedding, rotary_tables

__version__ = "1.0.0"

__all__ = [
    "CONVENTIONS",
    "Convention",
    "Match",
    "add_positional_encoding",
    "angular_frequencies",
    "convert",
    "encode",
    "encode_positions",
    "grid_encoding",
    "identify",
    "positions_from_mask",
    "rotary_embedding",
    "rotary_tables",
    "shift_matrix",
    "similarity_kernel",
    "sinusoidal_positional_encoding",
    "wavelengths",
]
