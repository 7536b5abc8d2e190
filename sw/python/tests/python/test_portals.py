"""Portals on the reference model."""

import enum
import os
import signal
import threading
import time
import unittest

import numpy
import portico
from bench import config
from portico import PortalsError, portals
from portico.portals import AckReq, EntryOptions, EventKind, Interface, MdOptions, NiFail, PtlList, PtOptions, SearchOp

PUT, GET, ONCE = EntryOptions.PTL_ME_OP_PUT, EntryOptions.PTL_ME_OP_GET, EntryOptions.PTL_ME_USE_ONCE


def two(interface=Interface.PTL_NI_MATCHING, **keys):
    """A fabric whose tiles 0 and 3 have ranks 0 and 1, and their interfaces."""
    fabric = portico.Fabric.golden(config(portals=4, **keys))
    portals.set_map(fabric, [0, 3])
    return fabric, portals.Ni(fabric, 0, interface), portals.Ni(fabric, 3, interface)


class Portals(unittest.TestCase):
    def fails(self, code, call, *arguments, **keywords):
        """The error that a call raises, which has this code."""
        with self.assertRaises(PortalsError) as raised:
            call(*arguments, **keywords)
        self.assertEqual(raised.exception.code, code)
        self.assertTrue(str(raised.exception).startswith(f"{code}: "), raised.exception)
        return raised.exception


class Messages(Portals):
    def test_a_put_with_its_events_and_counts(self):
        fabric, ni, target = two()
        fabric.write(0, 0x100, numpy.array([0x44332211, 0x55], "uint32"))
        eq = target.eq_alloc(8)
        pt_index = target.pt_alloc(eq=eq)
        arrived = target.ct_alloc()
        options = PUT | EntryOptions.PTL_ME_EVENT_CT_COMM | EntryOptions.PTL_ME_EVENT_CT_BYTES
        target.me_append(
            pt_index, 0x203, 100, match_bits=0x50, ignore_bits=0xF, options=options, match_id=0, ct=arrived, user_ptr=7
        )
        self.assertEqual(target.eq_get(eq).kind, EventKind.PTL_EVENT_LINK)
        own, ct = ni.eq_alloc(4), ni.ct_alloc()
        md = ni.md_bind(0x100, 5, MdOptions.PTL_MD_EVENT_CT_ACK, own, ct)
        ack = AckReq.PTL_ACK_REQ
        ni.put(
            md,
            4,
            1,
            pt_index=pt_index,
            match_bits=0x5A,
            local_offset=1,
            remote_offset=2,
            ack=ack,
            hdr_data=2**63,
            user_ptr=9,
        )
        self.assertEqual(ni.ct_wait(ct, 1, 10_000), (1, 0))
        self.assertEqual(target.ct_wait(arrived, 4), portals.CtEvent(success=4, failure=0))
        event = target.eq_wait(eq)
        self.assertEqual(
            event,
            portals.Event(
                kind=EventKind.PTL_EVENT_PUT,
                ni_fail_type=NiFail.PTL_NI_OK,
                ptl_list=PtlList.PTL_PRIORITY_LIST,
                pt_index=pt_index,
                initiator=0,
                uid=0,
                match_bits=0x5A,
                hdr_data=2**63,
                rlength=4,
                mlength=4,
                remote_offset=2,
                start=0x205,
                user_ptr=7,
            ),
        )
        self.assertIs(type(event.kind), EventKind)
        self.assertEqual(fabric.read(3, 0x204, 2).tolist(), [0x4433_2200, 0x55])
        send, answer = ni.eq_get(own), ni.eq_get(own)
        self.assertEqual((send.kind.name, send.rlength, send.user_ptr), ("PTL_EVENT_SEND", 4, 9))
        self.assertEqual((answer.kind.name, answer.mlength, answer.remote_offset), ("PTL_EVENT_ACK", 4, 2))

    def test_a_get(self):
        fabric, ni, target = two()
        fabric.write(3, 0x40, numpy.array([1, 2, 3, 4], "uint32"))
        pt_index = target.pt_alloc(pt_index_req=63)
        target.me_append(pt_index, 0x40, 16, options=GET)
        eq, ct = ni.eq_alloc(2), ni.ct_alloc()
        options = MdOptions.PTL_MD_EVENT_CT_REPLY | MdOptions.PTL_MD_EVENT_CT_BYTES
        md = ni.md_bind(0x100, 32, options, eq, ct)
        ni.get(md, 8, 1, pt_index=63, local_offset=16, remote_offset=4, user_ptr=5)
        self.assertEqual(ni.ct_wait(ct, 8), (8, 0))
        reply = ni.eq_get(eq)
        self.assertEqual((reply.kind, reply.mlength, reply.user_ptr), (EventKind.PTL_EVENT_REPLY, 8, 5))
        self.assertEqual(fabric.read(0, 0x110, 2).tolist(), [2, 3])
        # What the entry does not allow is refused.
        ni.put(md, 8, 1, pt_index=63, ack=AckReq.PTL_ACK_REQ)
        self.assertEqual(ni.eq_wait(eq).kind, EventKind.PTL_EVENT_SEND)
        self.assertEqual(ni.eq_wait(eq).ni_fail_type, NiFail.PTL_NI_OP_VIOLATION)
        self.assertEqual(target.ni_status(portals.StatusRegister.PTL_SR_OPERATION_VIOLATIONS), 1)

    def test_an_append_finds_an_unexpected_message(self):
        fabric, ni, target = two()
        fabric.write(0, 0, numpy.array([0x11, 0x22], "uint32"))
        eq = target.eq_alloc(16)
        pt_index = target.pt_alloc(eq=eq)
        overflow = target.me_append(
            pt_index, 0x400, 64, ignore_bits=2**64 - 1, options=PUT, ptl_list=PtlList.PTL_OVERFLOW_LIST, user_ptr=1
        )
        md = ni.md_bind(0, 8)
        ni.put(md, 8, 1, pt_index=pt_index, match_bits=5)
        self.assertEqual(target.eq_get(eq).kind, EventKind.PTL_EVENT_LINK)
        event = target.eq_wait(eq)
        self.assertEqual((event.kind, event.ptl_list), (EventKind.PTL_EVENT_PUT, PtlList.PTL_OVERFLOW_LIST))
        # Its header keeps the entry of Overflow.
        self.fails("PTL_IN_USE", target.me_unlink, overflow)
        counts = target.ct_alloc()
        options = PUT | ONCE | EntryOptions.PTL_ME_EVENT_CT_OVERFLOW
        with target.me_append(pt_index, 0x100, 8, match_bits=5, options=options, ct=counts, user_ptr=2) as receive:
            event = target.eq_get(eq)
            self.assertEqual((event.kind, event.user_ptr), (EventKind.PTL_EVENT_PUT_OVERFLOW, 2))
            self.assertEqual(fabric.read(3, event.start, 2).tolist(), [0x11, 0x22])
            self.assertEqual(target.eq_get(eq).kind, EventKind.PTL_EVENT_AUTO_UNLINK)
            self.assertEqual(target.ct_get(counts).success, 1)
            # It has left by itself, so its block ends in silence.
            self.fails("PTL_ARG_INVALID", target.me_unlink, receive)
        target.me_unlink(overflow)

    def searched(self, interface):
        """The interface of tile 3 with headers of puts of 1, 2 and 3 bytes with match bits 5, 6 and 5, and its queue."""
        fabric, ni, target = two(interface)
        eq = target.eq_alloc(16)
        pt_index = target.pt_alloc(eq=eq)
        options = PUT | EntryOptions.PTL_ME_EVENT_COMM_DISABLE | EntryOptions.PTL_ME_EVENT_LINK_DISABLE
        keywords = {"options": options, "ptl_list": PtlList.PTL_OVERFLOW_LIST}
        if interface == Interface.PTL_NI_MATCHING:
            target.me_append(pt_index, 0x200, 64, ignore_bits=2**64 - 1, **keywords)
        else:
            target.le_append(pt_index, 0x200, 64, **keywords)
        md = ni.md_bind(0, 8)
        for length, match_bits in ((1, 5), (2, 6), (3, 5)):
            ni.put(md, length, 1, match_bits=match_bits)
        ni.md_release(md)
        return target, eq

    def told(self, ni, eq):
        """Kinds, lengths and user pointers of all events of a queue."""
        events = []
        while True:
            try:
                event = ni.eq_get(eq)
            except PortalsError as error:
                self.assertEqual(error.code, "PTL_EQ_EMPTY")
                return events
            events.append((event.kind.name, event.mlength, event.user_ptr))

    def test_searches(self):
        target, eq = self.searched(Interface.PTL_NI_MATCHING)
        only, delete = SearchOp
        target.me_search(0, only, match_bits=5, user_ptr=1)
        self.assertEqual(self.told(target, eq), [("PTL_EVENT_SEARCH", 1, 1), ("PTL_EVENT_SEARCH", 3, 1)])
        target.me_search(0, delete, match_bits=5, options=ONCE, user_ptr=2)
        self.assertEqual(self.told(target, eq), [("PTL_EVENT_PUT_OVERFLOW", 1, 2)])
        target.me_search(0, only, ignore_bits=2**64 - 1, match_id=0, length=2, options=EntryOptions.PTL_ME_NO_TRUNCATE)
        self.assertEqual(self.told(target, eq), [("PTL_EVENT_SEARCH", 2, 0)])
        target.me_search(0, only, match_bits=7)
        event = target.eq_get(eq)
        self.assertEqual((event.kind, event.ni_fail_type), (EventKind.PTL_EVENT_SEARCH, NiFail.PTL_NI_NO_MATCH))
        self.fails("PTL_ARG_INVALID", target.le_search, 0, only)

    def test_an_interface_without_matching(self):
        target, eq = self.searched(Interface.PTL_NI_NO_MATCHING)
        self.assertIs(target.interface, Interface.PTL_NI_NO_MATCHING)
        target.le_search(0, SearchOp.PTL_SEARCH_DELETE, options=ONCE, uid=0, user_ptr=3)
        self.assertEqual(self.told(target, eq), [("PTL_EVENT_PUT_OVERFLOW", 1, 3)])
        with target.le_append(0, 0x300, 8, options=PUT, uid=4, user_ptr=5) as le:
            found = [("PTL_EVENT_PUT_OVERFLOW", 2, 5), ("PTL_EVENT_PUT_OVERFLOW", 3, 5), ("PTL_EVENT_LINK", 0, 5)]
            self.assertEqual(self.told(target, eq), found)
            target.le_unlink(le)
        self.assertIn(
            "options = PTL_ME_MANAGE_LOCAL",
            str(self.fails("PTL_ARG_INVALID", target.le_append, 0, 0, 8, options=EntryOptions.PTL_ME_MANAGE_LOCAL)),
        )
        self.fails("PTL_ARG_INVALID", target.me_append, 0, 0, 8)
        self.fails("PTL_ARG_INVALID", target.me_search, 0, SearchOp.PTL_SEARCH_ONLY)

    def test_messages_of_a_disabled_index_and_of_another_user_are_refused(self):
        _, ni, target = two()
        eq = ni.eq_alloc(8)
        md = ni.md_bind(0, 4, MdOptions.PTL_MD_EVENT_SEND_DISABLE, eq)
        pt_index = target.pt_alloc(PtOptions.PTL_PT_ALLOC_DISABLED)
        target.me_append(pt_index, 0, 4, options=PUT, uid=7)

        def outcome():
            ni.put(md, 4, 1, pt_index=pt_index, ack=AckReq.PTL_ACK_REQ)
            return ni.eq_wait(eq).ni_fail_type

        self.assertEqual(outcome(), NiFail.PTL_NI_PT_DISABLED)
        target.pt_enable(pt_index)
        self.assertEqual(outcome(), NiFail.PTL_NI_PERM_VIOLATION)
        ni.set_uid(7)
        self.assertEqual((ni.get_uid(), outcome()), (7, NiFail.PTL_NI_OK))
        target.pt_disable(pt_index)
        self.assertEqual(outcome(), NiFail.PTL_NI_PT_DISABLED)
        self.assertEqual([target.ni_status(register) for register in portals.StatusRegister], [2, 1, 0])


class Counters(Portals):
    def test_counts(self):
        _, ni, _ = two()
        one, other = ni.ct_alloc(), ni.ct_alloc()
        ni.ct_set(one, 5, 0)
        ni.ct_inc(one, 2**32 - 6)
        self.assertEqual(ni.ct_get(one), (2**32 - 1, 0))
        ni.ct_inc(one, success=2)
        self.assertEqual(ni.ct_get(one), (1, 0))
        ni.ct_inc(other, failure=3)
        self.assertEqual(ni.ct_wait(other, 9), (0, 3))
        self.assertEqual(ni.ct_poll([(one, 2), (other, 1)]), ((0, 3), 1))
        self.fails("PTL_ARG_INVALID", ni.ct_inc, one, 1, 1)
        self.fails("PTL_ARG_INVALID", ni.ct_set, one, 2**32)

    def test_queues_that_are_polled(self):
        _, ni, _ = two()
        one, other = ni.eq_alloc(2), ni.eq_alloc(2)
        pt_index = ni.pt_alloc(eq=other)
        ni.me_append(pt_index, 0, 4)
        event, place = ni.eq_poll([one, other])
        self.assertEqual((event.kind, place), (EventKind.PTL_EVENT_LINK, 1))


class Errors(Portals):
    def test_waits_in_vain(self):
        _, ni, _ = two()
        eq, ct = ni.eq_alloc(2), ni.ct_alloc()
        for timeout in (0, 1, 5000):
            for call in (lambda cycles: ni.ct_wait(ct, 1, cycles), lambda cycles: ni.eq_wait(eq, timeout=cycles)):
                error = self.fails("PTL_FAIL", call, timeout)
                self.assertIn(f"within {timeout} cycles", str(error))
                self.assertIsInstance(error.__cause__, portico.errors.TimeoutError)
            error = self.fails("PTL_CT_NONE_REACHED", ni.ct_poll, [(ct, 1)], timeout)
            self.assertIn(f"within {timeout} cycles", str(error))
            self.fails("PTL_EQ_EMPTY", ni.eq_poll, [eq], timeout)
        self.fails("PTL_EQ_EMPTY", ni.eq_get, eq)

    def test_a_map_stays(self):
        fabric = portico.Fabric.golden(config(portals=4))
        self.assertEqual(portals.get_map(fabric), [])
        self.fails("PTL_NO_INIT", portals.Ni, fabric, 0)
        for tiles, text in (
            ([0, 4], "nid = 4 is not allowed: allowed is 0..=3"),
            ([1, 1], "nid = 1 is not allowed: allowed is each tile once"),
            ([], "map_size = 0 is not allowed: allowed is 1..=4"),
        ):
            self.assertIn(text, str(self.fails("PTL_ARG_INVALID", portals.set_map, fabric, tiles)))
        portals.set_map(fabric, numpy.array([2, 1]))
        portals.set_map(fabric, (2, 1))
        self.assertEqual(portals.get_map(fabric), [2, 1])
        self.fails("PTL_IGNORED", portals.set_map, fabric, [1, 2])
        self.fails("PTL_NO_INIT", portals.Ni, fabric, 0)
        ni = portals.Ni(fabric, 1)
        self.assertEqual((ni.tile, ni.get_id(), ni.get_phys_id()), (1, 1, (1, 0)))

    def test_a_fabric_without_engines(self):
        fabric = portico.Fabric.golden(config())
        error = self.fails("PTL_FAIL", portals.set_map, fabric, [0])
        self.assertIn("set the key portals", str(error))
        self.assertIsInstance(error.__cause__, portico.errors.ArgumentError)

    def test_all_of_a_table_is_taken(self):
        _, ni, target = two(entries=64)
        limits = ni.limits()
        self.assertEqual((limits.max_entries, limits.max_pt_index, limits.max_atomic_size), (64, 63, 0))
        self.assertIs(limits.total_data_ordering, True)
        for _ in range(limits.max_cts):
            ni.ct_alloc()
        for _ in range(limits.max_eqs):
            ni.eq_alloc(2)
        for _ in range(limits.max_mds):
            ni.md_bind(0, 0)
        for call in (ni.ct_alloc, lambda: ni.eq_alloc(2), lambda: ni.md_bind(0, 0)):
            self.fails("PTL_NO_SPACE", call)
        for index in range(64):
            self.assertEqual(target.pt_alloc(), index)
        self.fails("PTL_PT_FULL", target.pt_alloc)
        self.fails("PTL_PT_IN_USE", target.pt_alloc, pt_index_req=5)
        for _ in range(limits.max_entries):
            target.me_append(5, 0, 4)
        self.fails("PTL_NO_SPACE", target.me_append, 5, 0, 4)
        self.fails("PTL_PT_IN_USE", target.pt_free, 5)
        target.pt_free(6)
        self.assertEqual(target.pt_alloc(), 6)

    def test_what_is_in_use_stays(self):
        _, ni, _ = two()
        eq, ct = ni.eq_alloc(2), ni.ct_alloc()
        with ni.md_bind(0, 4, eq=eq, ct=ct) as md:
            self.fails("PTL_IN_USE", ni.eq_free, eq)
            self.fails("PTL_IN_USE", ni.ct_free, ct)
            with self.assertRaises(PortalsError) as raised, ct:
                pass
            self.assertEqual(raised.exception.code, "PTL_IN_USE")
            # The exception of a block counts.
            with self.assertRaises(KeyError), ct:
                raise KeyError
            ni.put(md, 4, 0)
        self.fails("PTL_ARG_INVALID", ni.put, md, 4, 0)
        self.assertEqual(ni.ct_get(ct), (0, 0))
        with ct, eq:
            pass
        self.fails("PTL_ARG_INVALID", ni.ct_get, ct)

    def test_flow_control_is_refused(self):
        _, ni, _ = two()
        flow = PtOptions.PTL_PT_FLOWCTRL
        self.fails("PTL_PT_EQ_NEEDED", ni.pt_alloc, flow)
        self.fails("PTL_ARG_INVALID", ni.pt_alloc, flow, ni.eq_alloc(2))

    def test_an_event_behind_lost_ones_is_told(self):
        _, ni, _ = two()
        eq = ni.eq_alloc(2)
        md = ni.md_bind(0, 8, eq=eq)
        for user_ptr in range(4):
            ni.put(md, user_ptr, 1, user_ptr=user_ptr)
        ni.md_release(md)
        self.assertEqual([ni.eq_get(eq).user_ptr for _ in range(2)], [0, 1])
        self.assertIsNone(self.fails("PTL_EQ_EMPTY", ni.eq_get, eq).event)
        ni.put(ni.md_bind(0, 8, eq=eq), 5, 1, user_ptr=9)
        error = self.fails("PTL_EQ_DROPPED", ni.eq_wait, eq)
        self.assertIsInstance(error.event, portals.Event)
        self.assertEqual((error.event.kind, error.event.rlength), (EventKind.PTL_EVENT_SEND, 5))
        self.assertEqual(error.event.user_ptr, 9)
        self.fails("PTL_EQ_EMPTY", ni.eq_get, eq)

    def test_wrong_arguments(self):
        fabric, ni, _ = two()
        bytes_ = fabric.memory_bytes(0)
        md, pt_index, ct = ni.md_bind(0, 8), ni.pt_alloc(), ni.ct_alloc()
        for call, text in (
            (lambda: ni.md_bind(bytes_ - 4, 5), "length = 5 is not allowed: allowed is 0..=4"),
            (lambda: ni.md_bind(0, 4, MdOptions.PTL_MD_IOVEC), "options = PTL_MD_IOVEC"),
            (lambda: ni.me_append(7, 0, 4), "pt_index = 7"),
            (lambda: ni.me_append(pt_index, 0, 4, match_id=2), "match_id = 2 is not allowed: allowed is 0..=1"),
            (lambda: ni.me_append(pt_index, 0, 4, uid=4095), "uid = 4095 is not allowed: allowed is 0..=4094"),
            (lambda: ni.me_append(pt_index, 0, 4, min_free=2**32), "min_free = 4294967296"),
            (lambda: ni.put(md, 4, 1, local_offset=5), "length = 4 is not allowed: allowed is 0..=3"),
            (lambda: ni.put(md, 4, 2), "target_id = 2 is not allowed: allowed is 0..=1"),
            (lambda: ni.get(md, 4, 1, pt_index=64), "pt_index = 64 is not allowed: allowed is 0..=63"),
            (lambda: ni.get(md, 4, 1, remote_offset=2**32), "remote_offset = 4294967296"),
            (lambda: ni.eq_alloc(4097), "count = 4097 is not allowed: allowed is 1..=4096"),
            (lambda: ni.set_uid(4095), "uid = 4095"),
        ):
            self.assertIn(text, str(self.fails("PTL_ARG_INVALID", call)))
        for call, text in (
            (lambda: ni.put(md, 4, 1, ack=4), "ack = 4 is not allowed: allowed is PTL_NO_ACK_REQ, "),
            (lambda: ni.me_append(pt_index, 0, 4, options=1 << 19), "options = 524288 is not allowed: allowed is 0..="),
            (lambda: ni.me_append(pt_index, 0, 4, ptl_list=2**64 - 1), "PTL_PRIORITY_LIST or PTL_OVERFLOW_LIST"),
            (lambda: ni.put(md, 4, 1, match_bits=-1), "match_bits = -1"),
            (lambda: ni.put(md, 4, 1, user_ptr=2**32), "user_ptr = 4294967296"),
            (lambda: portals.Ni(fabric, 0, 2), "PTL_NI_MATCHING or PTL_NI_NO_MATCHING"),
        ):
            with self.assertRaises(portico.errors.ArgumentError) as raised:
                call()
            self.assertIn(text, str(raised.exception))
        for call, text in (
            (lambda: ni.me_append(pt_index, 0, 4, options=MdOptions.PTL_MD_EVENT_CT_ACK), "is no EntryOptions"),
            (lambda: ni.put(md, 4, 1, ack=SearchOp.PTL_SEARCH_ONLY), "is no AckReq"),
            (lambda: ni.put(md, 4, True), "target_id = True is no integer"),
            (lambda: ni.put(ct, 4, 1), "Md"),
            (lambda: ni.eq_poll([ct]), "Eq"),
        ):
            with self.assertRaises(TypeError) as raised:
                call()
            self.assertIn(text, str(raised.exception))

    def test_handles_of_others_and_stale_ones(self):
        _, ni, target = two()
        _, stranger, _ = two()
        eq, ct, md = ni.eq_alloc(2), ni.ct_alloc(), ni.md_bind(0, 4)
        pt_index = ni.pt_alloc()
        me = ni.me_append(pt_index, 0, 4, options=PUT)
        calls = (
            lambda ni: ni.eq_get(eq),
            lambda ni: ni.ct_get(ct),
            lambda ni: ni.put(md, 4, 1),
            lambda ni: ni.md_release(md),
            lambda ni: ni.me_unlink(me),
            lambda ni: ni.md_bind(0, 4, ct=ct),
            lambda ni: ni.pt_alloc(eq=eq),
        )
        for call in calls:
            self.assertIn("tile 3", str(self.fails("PTL_ARG_INVALID", call, target)))
            with self.assertRaisesRegex(portico.errors.ArgumentError, "belongs to another fabric"):
                call(stranger)
        ni.close()
        for call in calls:
            self.assertIn("interface", str(self.fails("PTL_ARG_INVALID", call, ni)))
        self.fails("PTL_ARG_INVALID", ni.close)
        # What is gone with its interface ends in silence.
        with ni, eq, ct, md, me:
            pass

    def test_an_interface_is_closed_as_often_as_it_is_opened(self):
        fabric, ni, _ = two()
        with portals.Ni(fabric, 0) as again:
            ct = again.ct_alloc()
        self.fails("PTL_ARG_INVALID", again.ct_get, ct)
        self.assertEqual(ni.ct_get(ct), (0, 0))
        ni.close()
        renewed = portals.Ni(fabric, 0)
        self.fails("PTL_ARG_INVALID", renewed.ct_get, ct)

    def test_a_closed_fabric(self):
        fabric, ni, _ = two()
        fabric.close()
        with self.assertRaises(portico.errors.ClosedError):
            ni.ct_alloc()


class Waits(Portals):
    def test_ctrl_c_ends_a_wait_which_other_threads_do_not_wait_for(self):
        fabric, ni, _ = two()
        eq, ct = ni.eq_alloc(2), ni.ct_alloc()
        for wait in (
            lambda: ni.eq_wait(eq, 2**60),
            lambda: ni.eq_poll([eq], 2**60),
            lambda: ni.ct_wait(ct, 1, 2**60),
            lambda: ni.ct_poll([(ct, 1)], 2**60),
        ):
            busy = []

            def press(busy=busy):
                time.sleep(0.1)
                try:
                    ni.ct_get(ct)
                except portico.errors.BusyError:
                    busy.append(time.monotonic())
                os.kill(os.getpid(), signal.SIGINT)

            thread = threading.Thread(target=press)
            thread.start()
            with self.assertRaises(KeyboardInterrupt):
                wait()
            ended = time.monotonic()
            thread.join()
            self.assertEqual(len(busy), 1)
            self.assertLess(ended - busy[0], 5)
            self.assertEqual(ni.ct_get(ct), (0, 0))


class Names(unittest.TestCase):
    def test_each_constant_is_a_member_of_one_enumeration(self):
        members = []
        for name in portals.__all__:
            found = getattr(portals, name)
            if isinstance(found, type) and issubclass(found, enum.Enum):
                members += [(member, int(found[member])) for member in found.__members__]
        self.assertEqual(len(members), len(dict(members)))
        self.assertEqual(dict(members), portico._portico._portals_constants())
        for options in (PtOptions, EntryOptions, MdOptions):
            self.assertEqual([int(option) for option in options], [1 << bit for bit in range(len(options))])

    def test_everything_has_a_docstring(self):
        for name in portals.__all__:
            public = getattr(portals, name)
            self.assertTrue(public.__doc__, name)
            for member in vars(public) if isinstance(public, type) else ():
                if not member.startswith("_") and not issubclass(public, (enum.Enum, Exception)):
                    self.assertTrue(getattr(public, member).__doc__, f"{name}.{member}")


if __name__ == "__main__":
    unittest.main()
