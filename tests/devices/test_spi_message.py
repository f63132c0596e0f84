"""The message to the kernel, against a kernel that follows the pointers in it."""

import ctypes
import errno
from pathlib import Path

import pytest

from kloplei.devices.adc import CHIPS, SpiMessages, Transfer
from tests.devices.chips import KernelChip

CHIP = CHIPS["mcp3008"]
DEVICE = Path("/dev/null")  # it can be opened; what it says is the fake's


def messages(kernel: KernelChip, channels: int = 4, rounds: int = 64) -> SpiMessages:
    requests = [CHIP.request(channel) for channel in range(channels)]
    return SpiMessages(DEVICE, requests, rounds, ioctl=kernel)


def test_a_transfer_lies_in_memory_as_the_kernel_reads_it() -> None:
    """linux/spi/spidev.h, struct spi_ioc_transfer."""
    places = {name: getattr(Transfer, name).offset for name, *_ in Transfer._fields_}

    assert ctypes.sizeof(Transfer) == 32
    assert places == {
        "tx_buf": 0, "rx_buf": 8, "len": 16, "speed_hz": 20, "delay_usecs": 24,
        "bits_per_word": 26, "cs_change": 27, "tx_nbits": 28, "rx_nbits": 29,
        "word_delay_usecs": 30, "pad": 31,
    }  # fmt: skip


def test_one_call_brings_a_conversion_of_every_channel_and_round() -> None:
    kernel = KernelChip(lambda channel: 100 * channel + 7, aligned_to=4)
    bus = messages(kernel)

    codes = CHIP.codes(bus.send(500_000), 4)

    assert kernel.messages == [256]
    assert codes == tuple([100 * channel + 7] * 64 for channel in range(4))
    assert set(kernel.clocks_hz) == {500_000}
    bus.close()


def test_a_new_clock_is_used_from_the_next_message_on() -> None:
    kernel = KernelChip(lambda channel: 0)
    bus = messages(kernel, rounds=1)

    bus.send(500_000)
    bus.send(600_000)

    assert kernel.clocks_hz == [500_000] * 4 + [600_000] * 4
    bus.close()


@pytest.mark.parametrize(
    ("buffer_bytes", "aligned_to", "rounds"),
    [
        pytest.param(4096, 128, 8, id="a 64-bit Pi as it comes: 2 ms at 4 kHz"),
        pytest.param(4096, 64, 16, id="a 32-bit Pi"),
        pytest.param(65536, 128, 64, id="spidev.bufsiz=65536: a whole block"),
    ],
)
def test_a_message_is_as_long_as_the_kernel_takes_it(
    buffer_bytes: int, aligned_to: int, rounds: int
) -> None:
    kernel = KernelChip(lambda channel: 512, buffer_bytes=buffer_bytes, aligned_to=aligned_to)
    bus = messages(kernel)

    answers = bus.send(500_000)

    assert bus.rounds == rounds
    assert len(answers) == 3 * 4 * rounds
    bus.close()


def test_no_message_is_longer_than_its_size_can_be_written() -> None:
    """The size of an ioctl has 14 bits: 511 transfers."""
    kernel = KernelChip(lambda channel: 512, buffer_bytes=1 << 20)
    bus = messages(kernel, channels=8, rounds=64)

    bus.send(500_000)

    assert kernel.messages == [504]
    bus.close()


def test_a_kernel_that_takes_not_even_one_round_is_an_error() -> None:
    bus = messages(KernelChip(lambda channel: 512, buffer_bytes=128))

    with pytest.raises(OSError, match="Message too long"):
        bus.send(500_000)

    bus.close()
    bus.close()


def test_the_real_call_tells_what_the_kernel_says() -> None:
    """/dev/null is no SPI device, and the kernel says so."""
    requests = [CHIP.request(0)]
    bus = SpiMessages(DEVICE, requests, 100)

    with pytest.raises(OSError, match="Inappropriate ioctl") as refused:
        bus.send(500_000)

    assert refused.value.errno == errno.ENOTTY
    bus.close()
