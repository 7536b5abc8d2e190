"""Portals on the reference model."""

import unittest

import numpy
import portico
from bench import config
from portico import PortalsError, portals
from portico.portals import AckReq, EntryOptions, EventKind, Interface, MdOptions, NiFail, PtlList

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


if __name__ == "__main__":
    unittest.main()
