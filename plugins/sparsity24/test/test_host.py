"""prune, check, compress and decompress in the host's memory, bit for bit."""

import itertools
import threading

import numpy as np
import pytest

import triton_plugins.sparsity24 as sp
from triton_plugins.sparsity24 import cpu

LEGAL = {(i, j): i | j << 2 for i, j in itertools.combinations(range(4), 2)}


@pytest.fixture(scope="module", autouse=True)
def _needs_the_extension():
    try:
        cpu._host()
    except ImportError as error:
        pytest.skip(str(error))


def draw(rows, columns, seed=0):
    """A random 2:4 sparse matrix whose elements lie anywhere in their groups."""
    generator = np.random.default_rng(seed)
    dense = generator.standard_normal((rows, columns)).astype(np.float16)
    rank = generator.random((rows, columns // 4, 4)).argsort(-1).argsort(-1)
    return np.where((rank < 2).reshape(rows, columns), dense, np.float16(0))


def model_of_decompress(values, meta):
    """The definition, one group at a time."""
    rows, columns = values.shape[0], 2 * values.shape[1]
    dense = np.zeros((rows, columns), values.dtype)
    for row, group in np.ndindex(rows, columns // 4):
        nibble = int(meta[row, group // 4]) >> (4 * (group % 4)) & 0xF
        dense[row, 4 * group + (nibble & 3)] = values[row, 2 * group]
        dense[row, 4 * group + (nibble >> 2)] = values[row, 2 * group + 1]
    return dense


def bits(array):
    return array.view(np.uint16)


# The last one is large enough for several threads.
@pytest.mark.parametrize("shape", [(0, 16), (1, 16), (33, 48), (257, 1040), (1031, 2048)])
def test_there_and_back(shape):
    dense = draw(*shape)
    matrix = sp.compress(dense)
    assert matrix.shape == shape
    assert (matrix.values.dtype, matrix.meta.dtype) == (np.float16, np.int16)
    sp.check(matrix)
    assert np.array_equal(bits(sp.decompress(matrix)), bits(dense))


def test_compressed_form_is_the_documented_one():
    matrix = sp.compress(draw(20, 64))
    model = model_of_decompress(matrix.values, matrix.meta)
    assert np.array_equal(bits(model), bits(sp.decompress(matrix)))


@pytest.mark.parametrize("place", range(16))
@pytest.mark.parametrize(("columns", "nibble"), LEGAL.items())
def test_every_nibble_position_alone(columns, nibble, place):
    dense = np.zeros((3, 64), np.float16)
    dense[1, [4 * place + column for column in columns]] = 1.5, -2
    matrix = sp.compress(dense)
    words = matrix.meta.view(np.uint16)
    assert int(words[1, place // 4]) >> (4 * (place % 4)) & 0xF == nibble
    assert matrix.values[1, 2 * place : 2 * place + 2].tolist() == [1.5, -2]
    assert np.array_equal(sp.decompress(matrix), dense)


def test_every_pattern_of_special_values():
    specials = np.array([0.0, -0.0, 1.5, np.nan, np.inf, -np.inf], np.float16)
    groups = np.array([*itertools.product(specials, repeat=4)], np.float16)
    groups = groups[(bits(groups) != 0).sum(1) <= 2]
    # Sixteen columns a row.
    dense = groups[: len(groups) // 4 * 4].reshape(-1, 16)
    matrix = sp.compress(dense)
    sp.check(matrix)
    assert np.array_equal(bits(sp.decompress(matrix)), bits(dense))


def test_prune_keeps_the_two_largest():
    # Rounded, so that there are ties.
    dense = (np.random.default_rng(1).standard_normal((100, 64)) * 2).round().astype(np.float16)
    pruned = sp.prune(dense)
    sp.check(pruned)
    groups = dense.reshape(-1, 4)
    kept = np.argsort(-np.abs(groups), axis=1, kind="stable")[:, :2]
    expected = np.zeros_like(groups)
    np.put_along_axis(expected, kept, np.take_along_axis(groups, kept, 1), 1)
    assert np.array_equal(pruned, expected.reshape(100, 64))


def test_prune_takes_nan_for_the_largest():
    dense = np.array([[np.inf, 1, np.nan, 2] + [0] * 12], np.float16)
    assert np.array_equal(
        sp.prune(dense), np.array([[np.inf, 0, np.nan, 0] + [0] * 12], np.float16), equal_nan=True
    )


def test_bfloat16_is_taken_as_bits():
    bfloats = (draw(16, 64).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    matrix = sp.compress(bfloats)
    assert matrix.values.dtype == np.uint16
    assert np.array_equal(sp.decompress(matrix), bfloats)


def test_views_are_read_as_they_lie():
    dense = draw(64, 96)
    part = sp.compress(dense[::2, 16:48])
    assert np.array_equal(part.values, sp.compress(dense).values[::2, 8:24])
    transposed = np.asfortranarray(dense)
    assert np.array_equal(sp.compress(transposed).meta, sp.compress(dense).meta)


def test_a_group_of_three_is_refused():
    dense = draw(2000, 512)
    dense[1999, 8:11] = dense[200, 300:303] = 1
    with pytest.raises(sp.SparsityError, match="row 200, columns 300 to 303: more than two") as e:
        sp.compress(dense)
    assert (e.value.row, e.value.column) == (200, 300)


@pytest.mark.parametrize("nibble", sorted(set(range(16)) - set(LEGAL.values())))
def test_illegal_metadata_is_refused(nibble):
    matrix = sp.compress(draw(64, 128))
    words = matrix.meta.view(np.uint16)
    words[40, 3] = words[40, 3] & 0xF0FF | nibble << 8
    message = f"row 40, columns 56 to 59: the metadata is {nibble};"
    with pytest.raises(sp.SparsityError, match=message):
        sp.decompress(matrix)
    with pytest.raises(sp.SparsityError, match=message) as caught:
        sp.check(matrix)
    assert (caught.value.row, caught.value.column) == (40, 56)


def test_wrong_types_and_shapes():
    with pytest.raises(TypeError, match="holds float32"):
        sp.compress(np.zeros((16, 16), np.float32))
    with pytest.raises(ValueError, match="a multiple of 16 columns is needed, but there are 24"):
        sp.compress(np.zeros((16, 24), np.float16))
    with pytest.raises(ValueError, match="but the array has 1 dimensions"):
        sp.prune(np.zeros(16, np.float16))


def test_the_extension_refuses_what_it_would_convert():
    with pytest.raises(TypeError, match="incompatible function arguments"):
        cpu._host().prune(np.zeros((16, 16), np.float16))


def test_threads_share_it():
    dense = [draw(300, 2048, seed) for seed in range(4)]
    results = [None] * len(dense)

    def work(index):
        results[index] = sp.decompress(sp.compress(dense[index]))

    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(dense))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result, expected in zip(results, dense, strict=True):
        assert np.array_equal(bits(result), bits(expected))
