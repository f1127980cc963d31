"""Tiles whose steps of K are divided among programs, so that few tiles still fill the GPU.

The steps of all shared tiles, one tile after the other, are cut into a part of equal size for each
sharer. A tile's last part belongs to its owner, which adds the accumulators of the others. A part
is at most as long as a tile, so a program has at most two pieces of tiles: it begins with the later
one, whose accumulators it may have to hand over, and goes on with one that it owns. So a program
waits only for what others do first, and the sum of a tile is always made in the same order.

The functions that divide work take and return numbers, and run in Python as well.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def share_of(program, shared, sharers, steps):
    """The part of the shared tiles' steps that a program has: from the first, up to the second."""
    total = shared * steps
    return min(program, sharers) * total // sharers, min(program + 1, sharers) * total // sharers


@triton.jit
def first_items(program, programs, share, shared, steps, SHARED: tl.constexpr):
    """Numbers of a program's first item of work, and of the first one whose result it stores.

    It goes on in strides of the number of programs. Numbers from `shared` on are tiles, each of one
    program. Those below, negative ones too, are pieces of shared tiles.
    """
    if not SHARED:
        return program, program
    begin, end = share
    pieces = (end + steps - 1) // steps - begin // steps
    first = shared + program - pieces * programs
    return first, first + (programs if end % steps > 0 else 0)


@triton.jit
def work_of(item, first, share, shared, steps):
    """A tile, and the steps of it that an item of work has: from the first, up to the second."""
    begin, end = share
    if_piece = (end - 1) // steps - (1 if item > first else 0)
    tile = if_piece if item < shared else item
    from_step = max(begin - tile * steps, 0) if item < shared else 0
    to_step = min(end - tile * steps, steps) if item < shared else steps
    return tile, from_step, to_step


@triton.jit
def sharer_of(step, shared, sharers, steps):
    """The program that has a step of the shared tiles."""
    return ((step + 1) * sharers - 1) // (shared * steps)


@triton.jit
def place_of(row, col, COLS: tl.constexpr):
    """Where an element of a warp group's accumulators is among those that are handed over.

    A thread has pairs of neighbours in two rows, 8 apart, of every 8 columns (PTX ISA, wgmma,
    register fragments of D). These four are neighbours in memory, and so are those of neighbouring
    threads.
    """
    thread = (row >> 4 & 3) * 32 + (row & 7) * 4 + (col >> 1 & 3)
    block = (row >> 6) * (COLS // 8) + (col >> 3)
    return (block * 128 + thread) * 4 + (row >> 3 & 1) * 2 + (col & 1)


@triton.constexpr_function
def size_of(accs):
    """Elements of all accumulators."""
    return sum(acc.shape[0] * acc.shape[1] for acc in accs)


@triton.jit
def part_pointers(parts_ptr, group, accs):
    """Pointers to a warp group's accumulators; the same threads of another program read them."""
    SIZE: tl.constexpr = size_of(accs)
    first = parts_ptr + group.to(tl.int64) * SIZE
    pointers = ()
    for index in tl.static_range(len(accs)):
        rows = tl.arange(0, accs[index].shape[0])[:, None]
        cols = tl.arange(0, accs[index].shape[1])[None, :]
        pointers += (first + place_of(rows, cols, accs[index].shape[1]),)
        first += accs[index].shape[0] * accs[index].shape[1]
    return pointers


@triton.jit
def hand_over(parts_ptr, flags_ptr, group, accs):
    """Gives a warp group's accumulators to the owner of the tile.

    Triton's own store would first bring them into another layout, through shared memory that the
    kernel has no room for. Each warp says by itself that it has stored: the flag counts to 4.
    """
    pointers = part_pointers(parts_ptr, group, accs)
    for index in tl.static_range(len(accs)):
        tl.inline_asm_elementwise(
            """
            st.global.v4.f32 [$8], {$4, $5, $6, $7};
            mov.b32 $0, $4;
            mov.b32 $1, $5;
            mov.b32 $2, $6;
            mov.b32 $3, $7;
            """,
            "=f,=f,=f,=f,f,f,f,f,l,l,l,l",
            [accs[index], pointers[index]],
            dtype=tl.float32,
            is_pure=False,
            pack=4,
        )
    tl.inline_asm_elementwise(
        """
        {
            .reg .pred one;
            fence.acq_rel.gpu;
            bar.warp.sync -1;
            elect.sync _|one, -1;
            @one red.relaxed.gpu.global.inc.u32 [$1], 7;
            mov.b32 $0, 0;
        }
        """,
        "=r,l",
        [flags_ptr + group],
        dtype=tl.int32,
        is_pure=False,
        pack=1,
    )


@triton.jit
def add_part(parts_ptr, flags_ptr, group, accs):
    """Waits for what a warp group of another program hands over, and adds it.

    Each warp then counts the flag on, and with the fourth it is 0 again for the next launch.
    """
    tl.inline_asm_elementwise(
        """
        {
            .reg .pred up, one;
            .reg .u32 count;
        wait:
            ld.acquire.gpu.global.u32 count, [$1];
            setp.ge.u32 up, count, 4;
            vote.sync.all.pred up, up, -1;
            @!up bra wait;
            elect.sync _|one, -1;
            @one red.relaxed.gpu.global.inc.u32 [$1], 7;
            mov.b32 $0, count;
        }
        """,
        "=r,l",
        [flags_ptr + group],
        dtype=tl.int32,
        is_pure=False,
        pack=1,
    )
    pointers = part_pointers(parts_ptr, group, accs)
    sums = ()
    for index in tl.static_range(len(accs)):
        added = tl.inline_asm_elementwise(
            """
            {
                .reg .f32 part<4>;
                ld.global.cg.v4.f32 {part0, part1, part2, part3}, [$8];
                add.f32 $0, $4, part0;
                add.f32 $1, $5, part1;
                add.f32 $2, $6, part2;
                add.f32 $3, $7, part3;
            }
            """,
            "=f,=f,=f,=f,f,f,f,f,l,l,l,l",
            [accs[index], pointers[index]],
            dtype=tl.float32,
            is_pure=False,
            pack=4,
        )
        sums += (added,)
    return sums
