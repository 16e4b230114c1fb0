"""一台机器放不下的表：README 里的写法，在真的两个进程上算一百万行。需要 dev 附加依赖。"""

import zlib

import numpy as np
import pytest

from sinpe import sinusoidal_positional_encoding

pytestmark = pytest.mark.dev("dask", "distributed")
ROWS, D_MODEL, CHUNK = 1_000_000, 512, 20_000  # 一块 41 MB，整张 2 GB


def block(block_info=None):
    """一块里的行：从哪一行起、有几行，由 dask 告诉。"""
    first, stop = block_info[None]["array-location"][0]
    return sinusoidal_positional_encoding(stop - first, D_MODEL, offset=first)


def table(rows, chunk):
    import dask.array as da

    return da.map_blocks(block, chunks=(da.core.normalize_chunks(chunk, (rows,))[0], D_MODEL), dtype=np.float32)


def peak_memory():
    """这个进程用过的内存的最大值，MB。"""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def fingerprint(rows):
    """一块的指纹：一个比特不同，指纹就不同。只传指纹，不必把 2 GB 运到一处。"""
    return np.array([[zlib.crc32(rows)]])


def test_blocks_give_the_plain_table_bit_for_bit_without_a_cluster():
    whole = table(30_001, 7_000).compute(scheduler="synchronous")
    np.testing.assert_array_equal(whole, sinusoidal_positional_encoding(30_001, D_MODEL))


@pytest.mark.filterwarnings("ignore")  # dask 启动时自己的提醒，与表无关
def test_two_workers_compute_a_million_rows_within_bounded_memory():
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit="700MB", protocol="tcp"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        before = client.run(peak_memory)
        blocks = table(ROWS, CHUNK)
        assert blocks.shape == (ROWS, D_MODEL)
        got = blocks.map_blocks(fingerprint, dtype=np.int64, chunks=((1,) * blocks.numblocks[0], 1)).compute()
        after = client.run(peak_memory)
    assert len(after) == 2
    rows = np.empty((CHUNK, D_MODEL), np.float32)
    for k, (crc,) in enumerate(got):
        assert crc == zlib.crc32(sinusoidal_positional_encoding(CHUNK, D_MODEL, offset=k * CHUNK, out=rows))
    for worker, peak in after.items():
        # 整张表是 2048 MB；一块 41 MB，手上同时有两三块
        assert peak - before[worker] < 250, f"{worker} 多用了 {peak - before[worker]:.0f} MB"


def test_the_readme_shows_what_is_tested_here(pytestconfig):
    # README 里的几行与这里的 block 是同一个写法
    text = (pytestconfig.rootpath / "README.md").read_text(encoding="utf-8")
    for line in (
        'first, stop = block_info[None]["array-location"][0]',
        "d_model, offset=first)",
        "da.map_blocks(block",
    ):
        assert line in text
