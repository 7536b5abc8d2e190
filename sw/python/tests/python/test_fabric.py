"""Memory, operations and MPI-like calls on the reference model."""

import unittest

import numpy
import portico
from bench import small


class Arrays(unittest.TestCase):
    def test_numpy_arrays_come_back_equal(self):
        for width, types in (
            (32, ["float32", "int32", "uint32"]),
            (64, ["float32", "int32", "uint32", "float64", "int64", "uint64"]),
        ):
            fabric = small(width=width)
            for dtype in types:
                with self.subTest(width=width, dtype=dtype):
                    size = numpy.dtype(dtype).itemsize
                    raw = numpy.random.default_rng(7).integers(0, 256, 6 * size, "uint8").tobytes()
                    array = numpy.frombuffer(raw, dtype).reshape(2, 3)
                    fabric.write(1, 0x40, array)
                    found = fabric.read(1, 0x40, (2, 3), dtype)
                    self.assertEqual((found.dtype, found.shape), (array.dtype, (2, 3)))
                    # Bytes, since a NaN is no number.
                    self.assertEqual(found.tobytes(), raw)
                    into = numpy.zeros((3, 2), dtype)
                    fabric.read_into(1, 0x40, into)
                    self.assertEqual(into.tobytes(), raw)

    def test_a_memory_has_the_lower_half_first(self):
        fabric = small(width=64)
        fabric.write(0, 0, numpy.array([0x1_0000_0002], "uint64"))
        self.assertEqual(fabric.read(0, 0, 2).tolist(), [2, 1])

    def test_other_types_are_refused(self):
        fabric = small()
        allowed = "allowed is float32, int32 or uint32, "
        for dtype in ("float64", "int64", "uint64", "int16", "uint8", "bool", "complex64", "float16", "U4", "O", ">u4"):
            with self.subTest(dtype=dtype):
                with self.assertRaisesRegex(TypeError, allowed):
                    fabric.write(0, 0, numpy.zeros(4, dtype))
                with self.assertRaisesRegex(TypeError, allowed):
                    fabric.read(0, 0, 4, dtype)
        with self.assertRaisesRegex(TypeError, "float64, int64 or uint64"):
            small(width=64).write(0, 0, numpy.zeros(4, "int16"))
        for data in ([1, 2], b"1234", None, 7, memoryview(b"1234")):
            with self.subTest(data=data), self.assertRaisesRegex(TypeError, "numpy.ndarray"):
                fabric.write(0, 0, data)

    def test_arrays_that_are_not_contiguous_are_refused(self):
        fabric = small()
        square = numpy.arange(16, dtype="uint32").reshape(4, 4)
        for array in (square[:, 1], square.T, square[::2], square[::-1], numpy.asfortranarray(square)):
            for call in (fabric.write, fabric.read_into):
                with self.assertRaisesRegex(ValueError, "not contiguous"):
                    call(0, 0, array)
        fabric.write(0, 0x100, square[1])
        self.assertEqual(fabric.read(0, 0x100, 4).tolist(), [4, 5, 6, 7])

    def test_a_target_that_is_read_only_is_refused(self):
        fabric = small()
        target = numpy.zeros(4, "uint32")
        target.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "read-only"):
            fabric.read_into(0, 0, target)
        fabric.write(0, 0, target)

    def test_arrays_at_odd_addresses(self):
        fabric = small()
        array = numpy.frombuffer(bytearray(range(13)), "uint32", count=3, offset=1)
        fabric.write(0, 0, array)
        self.assertEqual(fabric.read(0, 0, 3).tolist(), array.tolist())
        fabric.write(0, 0, numpy.array([5, 6, 7], "uint32"))
        fabric.read_into(0, 0, array)
        self.assertEqual(array.tolist(), [5, 6, 7])

    def test_shapes(self):
        fabric = small()
        self.assertEqual(fabric.read(0, 0, 0).shape, (0,))
        self.assertEqual(fabric.read(0, 0, ()).shape, ())
        self.assertEqual(fabric.read(0, 0, (2, 0, 3), "float32").shape, (2, 0, 3))
        fabric.write(0, 0, numpy.array(9, "uint32"))
        self.assertEqual(fabric.read(0, 0, [1])[0], 9)
        for shape in (-1, (2, -1), 2**40, (2**20, 2**20), (1 << 14) + 1):
            with self.subTest(shape=shape), self.assertRaises(ValueError):
                fabric.read(0, 0, shape)
        for shape in (1.5, "4", True, (True, 2)):
            with self.subTest(shape=shape), self.assertRaises(TypeError):
                fabric.read(0, 0, shape)


class Numbers(unittest.TestCase):
    def test_a_tile_is_an_integer_of_any_type(self):
        fabric = small()
        fabric.write(3, 0, numpy.array([4], "uint32"))
        for tile in (3, numpy.int64(3), numpy.uint8(3), numpy.array(3)):
            self.assertEqual(fabric.read(tile, 0, 1)[0], 4)
        for tile, text in (
            (-1, "node = -1 "),
            (numpy.int64(-1), "node = -1 "),
            (2**40, "allowed is 0..=4"),
            (2**80, "node = "),
            (5, "0..=4"),
        ):
            with self.subTest(tile=tile), self.assertRaisesRegex(ValueError, text):
                fabric.read(tile, 0, 1)
        for tile in (True, numpy.bool_(True), 1.0, numpy.float64(1), "1", None):
            with self.subTest(tile=tile), self.assertRaisesRegex(TypeError, "no integer"):
                fabric.read(tile, 0, 1)

    def test_addresses_are_checked(self):
        fabric = small()
        for address in (-4, 2**32, 2, 0x1_0000):
            with self.subTest(address=address), self.assertRaises(portico.errors.ArgumentError):
                fabric.write(0, address, numpy.zeros(1, "uint32"))


class Configurations(unittest.TestCase):
    def test_a_key_is_what_was_given(self):
        config = portico.Config(cols=3, rows=numpy.int64(2), monitors=False, host_profile="full")
        self.assertEqual((config.cols, config.rows, config.monitors, config.host_profile), (3, 2, False, "full"))
        self.assertEqual(portico.Config.from_toml(config.toml), config)
        self.assertNotEqual(portico.Config(), config)
        self.assertEqual(eval(repr(config), {"Config": portico.Config}), config)
        with self.assertRaisesRegex(AttributeError, "no key colour"):
            _ = config.colour

    def test_keys_beside_a_profile_count(self):
        leaf = portico.Config(scratchpad=16, profile="leaf")
        self.assertEqual((leaf.scratchpad, leaf.queues), (16, False))

    def test_wrong_keys_have_the_text_of_the_driver(self):
        for keys, text in (
            ({"cols": 17}, "cols = 17 is not allowed: allowed is 1..=16"),
            ({"width": 48}, "width = 48 is not allowed: allowed is 32 or 64"),
            ({"colls": 4}, "did you mean cols"),
            ({"profile": "tiny"}, 'profile = "tiny"'),
            ({"monitors": 1}, "monitors = 1"),
            ({"cols": None}, "cols = "),
            ({"cols": True}, "cols = true"),
            ({"cols": 2, "memories": 2}, "memories = 2"),
        ):
            with self.subTest(keys=keys), self.assertRaises(ValueError) as raised:
                portico.Config(**keys)
            self.assertIn(text, str(raised.exception))
        with self.assertRaises(ValueError):
            portico.Config.from_toml("cols = [")

    def test_the_stubs_have_every_key(self):
        import pathlib

        stubs = pathlib.Path(portico.__file__).with_name("_portico.pyi").read_text()
        for key in portico.Config.keys():
            self.assertIn(f"    {key}: ", stubs)
            self.assertIn(f" {key}: ", stubs.split("class Config")[1])


class Operations(unittest.TestCase):
    def setUp(self):
        self.fabric = small()
        self.fabric.write(0, 0x100, numpy.arange(16, dtype="uint32"))

    def segment(self, node=3, base=0x200, size=64, **keywords):
        return self.fabric.publish(node, base, size, **keywords).clone(0)

    def test_put_and_get(self):
        segment = self.segment()
        self.assertEqual((segment.node, segment.initiator, segment.bytes), (3, 0, 64))
        self.assertIsNone(segment.put(16, 0x100, 16))
        self.assertEqual(self.fabric.read(3, 0x210, 4).tolist(), [0, 1, 2, 3])
        segment.get(16, 0x300, 8)
        self.assertEqual(self.fabric.read(0, 0x300, 2).tolist(), [0, 1])

    def test_a_column(self):
        column = portico.Geometry(4, rows=4, row_strides=(4, 16))
        self.assertEqual(column.bytes, 16)
        self.assertEqual(eval(repr(column), {"Geometry": portico.Geometry}), column)
        self.segment().put(0, 0x104, column)
        self.assertEqual(self.fabric.read(3, 0x200, 4).tolist(), [1, 5, 9, 13])
        with self.assertRaisesRegex(TypeError, "pair"):
            portico.Geometry(4, 4, 16)

    def test_errors_come_before_anything_is_sent(self):
        segment = self.segment()
        for offset, local, size in ((64, 0x100, 4), (0, 2**16, 4), (2, 0x100, 4), (0, 0x100, 3), (-4, 0, 4)):
            with self.subTest(offset=offset, local=local, size=size), self.assertRaises(ValueError):
                segment.put(offset, local, size)
        with self.assertRaisesRegex(TypeError, "unexpected keyword tickets: allowed is timeout"):
            segment.put(0, 0x100, 4, tickets=True)
        segment.release()
        with self.assertRaisesRegex(ValueError, "the segment is released"):
            segment.put(0, 0x100, 4)

    def test_what_the_hardware_refuses_has_its_code(self):
        window = self.fabric.publish(3, 0x200, 64)
        segment = window.clone(0)
        window.withdraw()
        with self.assertRaises(portico.errors.RefusedError) as raised:
            segment.put(0, 0x100, 16)
        self.assertGreater(raised.exception.code, 0)
        self.assertIn("refused", str(raised.exception))

    def test_atomics(self):
        segment = self.segment()
        segment.poke(0, 5)
        self.assertEqual(segment.fetchadd(0, 3), 5)
        segment.postadd(0, 2**32 - 1)
        self.assertEqual(segment.compare_and_swap(0, 7, 100), 7)
        self.assertEqual(segment.add_if(0, 101, 1), 100)
        self.assertEqual(segment.add_if(0, 101, 1), 101)
        self.assertEqual(segment.fetchclear(0), 101)
        self.assertEqual(segment.peek(0), 0)
        segment.poke(8, 2**40, bits=64)
        self.assertEqual(segment.fetchadd(8, 1, bits=64, ticket=True).wait(), 2**40)
        with self.assertRaisesRegex(ValueError, "addend = 4294967296"):
            segment.fetchadd(0, 2**32)
        with self.assertRaisesRegex(ValueError, "32 or 64"):
            segment.peek(0, bits=16)

    def test_tickets(self):
        segment = self.segment()
        with segment.put(0, 0x100, 16, ticket=True) as ticket:
            self.assertIsNone(ticket.wait(1000))
            self.assertTrue(ticket.poll())
        with self.assertRaisesRegex(ValueError, "the ticket is released"):
            ticket.poll()
        ticket = segment.fetchadd(0, 1, ticket=True)
        while not ticket.poll():
            pass
        self.assertEqual(ticket.value, 0)

    def test_events(self):
        with self.fabric.event(3) as arrivals, self.fabric.event(0) as sent:
            arrivals.configure(2)
            segment = self.segment(event=arrivals)
            for offset in (0, 16):
                segment.put(offset, 0x100, 16, event=sent)
            sent.drain()
            state = arrivals.wait()
            self.assertEqual((state.count, state.fired, state.error), (2, True, None))
            arrivals.reset(7)
            self.assertEqual(arrivals.state().count, 7)
            with self.assertRaisesRegex(ValueError, 'compare = "more"'):
                arrivals.configure(1, "more")
            with self.assertRaises(portico.errors.ArgumentError):
                segment.put(0, 0x100, 4, event=arrivals)
            with self.assertRaisesRegex(ValueError, "another fabric"):
                segment.put(0, 0x100, 4, event=small().event(0))
            with self.assertRaises(TypeError):
                segment.put(0, 0x100, 4, event=sent, ticket=True)

    def test_mailboxes(self):
        with self.fabric.mailbox(3) as mailbox:
            mailbox.mail(1, 0x1_0000_0002)
            mailbox.mail(self.fabric.host_node, 7)
            self.assertEqual(mailbox.read(), (2, 7))
            mailbox.clear()
            self.assertEqual(mailbox.read(), (0, 0))
        with self.fabric.event(2) as event:
            event.configure(1)
            barrier = self.fabric.mailbox(2, 2, event)
            barrier.mail(0, 1)
            self.assertFalse(event.state().fired)
            barrier.mail(1, 4)
            self.assertEqual((event.wait().count, barrier.read()[1]), (1, 5))

    def test_streams_of_windows(self):
        segment = self.segment(stream=True)
        segment.stream(0x100, 8)
        segment.stream(0x120, 8)
        segment.fence()
        self.assertEqual(self.fabric.read(3, 0x200, 4).tolist(), [0, 1, 8, 9])

    def test_streams_of_accelerators(self):
        fabric = small(streams=True)
        fabric.write(1, 0x100, numpy.array([7, 8], "uint32"))
        sent = fabric.send(1, 0x100, 8, ticket=True)
        received = fabric.receive(1, 0x200, 64, ticket=True)
        beats = fabric.stream_take(1, 8)
        self.assertEqual(beats, [(7, False), (8, True)])
        fabric.stream_give(1, [(2 * word, last) for word, last in beats])
        sent.wait(), received.wait()
        self.assertEqual(fabric.read(1, 0x200, 2).tolist(), [14, 16])
        self.assertEqual(fabric.streams(1).received, 2)
        with self.assertRaisesRegex(ValueError, "built without streams"):
            self.fabric.send(1, 0, 4)

    def test_a_block_gives_back_what_it_took(self):
        with self.fabric.allocate(2, 20) as region:
            self.assertEqual((region.node, region.bytes), (2, 24))
            base = region.base
        with self.fabric.allocate(2, 8) as again:
            self.assertEqual(again.base, base)
        region = self.fabric.allocate(2, 8)
        with region:
            region.free()
        with self.assertRaises(ZeroDivisionError), self.fabric.allocate(2, 8):
            self.fabric.close()
            raise ZeroDivisionError

    def test_all_of_a_resource(self):
        events = []
        with self.assertRaisesRegex(portico.errors.ExhaustedError, "cannot allocate"):
            while True:
                events.append(self.fabric.event(1))
        self.assertEqual(len(events), self.fabric.config.events)


class Registers(unittest.TestCase):
    def test_registers_are_at_the_addresses_of_the_map(self):
        for width in (32, 64):
            fabric = small(width=width)
            rows = portico.registers(fabric.config)
            at = {(row["block"], row["name"]): row for row in rows}
            self.assertEqual(len(at), len(rows))
            for node in (0, fabric.host_node):
                memory = fabric.peek(node, at["control", "memory"]["address"])
                self.assertEqual(memory, fabric.memory_bytes(node))
            event = fabric.event(2)
            count = at["events", "count"]
            self.assertGreater(count["items"], event.number)
            address = count["address"] + event.number * count["stride"]
            fabric.poke(2, address, 9)
            self.assertEqual((event.state().count, fabric.peek(2, address)), (9, 9))
            for address in (0, 1, 2**20, count["address"] + 1):
                with self.assertRaises(portico.errors.ArgumentError):
                    fabric.peek(0, address)


class Groups(unittest.TestCase):
    def check(self, **keys):
        fabric = small(**keys)
        for tile in range(4):
            self.assertEqual(fabric.allocate(tile, 256).base, 0)
            fabric.write(tile, 0, numpy.array([0.5, tile, tile, tile], "float32"))
        with fabric.comm() as comm:
            self.assertEqual((comm.size, comm.tiles, comm.rank(2), comm.rank(7)), (4, [0, 1, 2, 3], 2, None))
            comm.allreduce(0, 0x40, 2, "float_sum")
            for tile in range(4):
                self.assertEqual(fabric.read(tile, 0x40, 2, "float32").tolist(), [2.0, 6.0])
            comm.timeout(0)
            # A group that has not failed is recovered too, with engines and without.
            comm.recover()
            comm.barrier()
            comm.broadcast(2, 0x40, 1)
            comm.reduce(1, 4, 0x80, 1, "float_max")
            self.assertEqual(fabric.read(1, 0x80, 1, "float32")[0], 3.0)
            for tile in range(4):
                fabric.write(tile, 0, numpy.arange(4, dtype="int32") + 10 * tile)
            comm.alltoall(0, 0x40, 1)
            self.assertEqual(fabric.read(1, 0x40, 4, "int32").tolist(), [1, 11, 21, 31])
            comm.scatter(3, 0, [0x80, 0x84, 0x88, 0x8C], 1)
            self.assertEqual(fabric.read(2, 0x88, 1)[0], 32)
            comm.gather(0, 0, 0xC0, 1)
            self.assertEqual(fabric.read(0, 0xC0, 4).tolist(), [0, 10, 20, 30])
            comm.reduce_scatter(0, 0xE0, 1, "integer_sum")
            self.assertEqual(fabric.read(3, 0xE0, 1)[0], 72)
            fabric.write(1, 4, numpy.array([99], "int32"))
            comm.allgather(0, 1)
            self.assertEqual(fabric.read(0, 4, 1)[0], 99)
            with comm.allreduce(0, 0x40, 1, "integer_sum", request=True) as request:
                for _ in range(2):
                    request.start()
                    request.wait()
                    self.assertTrue(request.poll())
                self.assertEqual(request.way, comm.allreduce(0, 0x40, 1, "and", request=True).way)
            return request.way

    def test_all_calls(self):
        self.check(mpe=1)
        self.check()

    def test_ways_and_shapes(self):
        fabric = small(mpe=1)
        for shape in ("linear", "binomial", "centre", "star", "quad", ("kary", 2), ("columns", 0), ("rows", 1)):
            fabric.comm(shape=shape).release()
        comm = fabric.comm([3, 1], "linear")
        self.assertEqual(comm.tiles, [3, 1])
        for way in ("host", "engines", None):
            comm.force(way)
            request = comm.barrier(request=True)
            self.assertEqual(request.way, way or request.way)
        for call, text in (
            (lambda: comm.force("magic"), "allowed is engines, puts or host"),
            (lambda: comm.allreduce(0, 0, 1, "sum"), "integer_sum"),
            (lambda: fabric.comm(shape="ring"), "linear, binomial"),
            (lambda: fabric.comm([0, 0]), "0"),
            (lambda: fabric.comm([9]), "9"),
            (lambda: comm.reduce(2, 0, 0, 1, "and"), "root = 2"),
        ):
            with self.assertRaisesRegex(ValueError, text):
                call()


if __name__ == "__main__":
    unittest.main()
