/*
 * Portico: the host driver of a fabric, for C and C++. Written from sw/capi/src: edit that instead.
 *
 * Each function returns a portico_status: PORTICO_OK, or a code, and portico_error_text() then has field, value and range. Of a
 * call that fails, results are not written.
 *
 * Handles are opaque. A handle that was released, and one of another fabric or of another type, is found out and refused; so is
 * NULL, for every pointer that is not said to be allowed NULL. Other pointers must point to what the function says: results to
 * memory that may be written, arrays to as many elements as their count, texts to UTF-8 with a NUL behind it.
 *
 * A fabric and its handles belong to one thread at a time. A thread may hand them on to another; a call while another one runs
 * returns PORTICO_BUSY. Fabrics do not share anything, so each may have a thread of its own.
 *
 * Nodes are numbered from 0: tiles first, then the host, then memory nodes. Addresses and lengths are in bytes, words have 32
 * bits, times are in cycles as the transport counts them.
 */

#ifndef PORTICO_H
#define PORTICO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Version of this header: see portico_version(). */
#define PORTICO_VERSION "0.1.0"

// The rank of a tile that is no member.
#define PORTICO_NO_RANK 4294967295

// The target of traffic that goes to any other tile, at random.
#define PORTICO_ANY_TILE 4294967295

// Any portal index, user or rank.
#define PORTICO_PTL_ANY 4294967295

// A get was served from an entry of the index.
#define PORTICO_PTL_EVENT_GET 0

// A get had been served from Overflow, and an append or search has consumed its header.
#define PORTICO_PTL_EVENT_GET_OVERFLOW 1

// A put came to an entry of the index.
#define PORTICO_PTL_EVENT_PUT 2

// A put had come to Overflow, and an append or search has consumed its header.
#define PORTICO_PTL_EVENT_PUT_OVERFLOW 3

// An atomic came.
#define PORTICO_PTL_EVENT_ATOMIC 4

// An atomic had come to Overflow.
#define PORTICO_PTL_EVENT_ATOMIC_OVERFLOW 5

// An atomic that fetches came.
#define PORTICO_PTL_EVENT_FETCH_ATOMIC 6

// An atomic that fetches had come to Overflow.
#define PORTICO_PTL_EVENT_FETCH_ATOMIC_OVERFLOW 7

// The data of a get are in the memory descriptor.
#define PORTICO_PTL_EVENT_REPLY 8

// The data of a put have been read: its memory may be written again.
#define PORTICO_PTL_EVENT_SEND 9

// The target has the data of a put, or refused it.
#define PORTICO_PTL_EVENT_ACK 10

// Flow control has disabled the index.
#define PORTICO_PTL_EVENT_PT_DISABLED 11

// An entry has left its list by itself, and all its messages are complete.
#define PORTICO_PTL_EVENT_AUTO_UNLINK 12

// No header refers to an entry of Overflow that has left.
#define PORTICO_PTL_EVENT_AUTO_FREE 13

// A search has found a header, or none.
#define PORTICO_PTL_EVENT_SEARCH 14

// An entry is in its list.
#define PORTICO_PTL_EVENT_LINK 15

// The operation ended well.
#define PORTICO_PTL_NI_FAIL_OK 0

// No entry matched, or the index is not allocated.
#define PORTICO_PTL_NI_FAIL_DROPPED 1

// The index is disabled.
#define PORTICO_PTL_NI_FAIL_PT_DISABLED 2

// The entry is for another user.
#define PORTICO_PTL_NI_FAIL_PERM_VIOLATION 3

// The entry does not allow the operation.
#define PORTICO_PTL_NI_FAIL_OP_VIOLATION 4

// A search has found no header.
#define PORTICO_PTL_NI_FAIL_NO_MATCH 5

// Entries for expected messages.
#define PORTICO_PTL_PRIORITY 0

// Entries that take what nothing in Priority matches.
#define PORTICO_PTL_OVERFLOW 1

// How a call has ended: 0, or why it failed. portico_error_text() has the text of an error.
typedef enum {
  // The call has done what it says.
  PORTICO_OK = 0,
  // The carrier of the accesses failed.
  PORTICO_E_TRANSPORT = 1,
  // A command that no descriptor can express.
  PORTICO_E_DESCRIPTOR = 2,
  // A register with an undefined value.
  PORTICO_E_REGISTER = 3,
  // Tiles that do not form a group, or a tree that does not fit them.
  PORTICO_E_TREE = 4,
  // A text that is not a program.
  PORTICO_E_ASSEMBLY = 5,
  // A word of a program that is not an instruction.
  PORTICO_E_INSTRUCTION = 6,
  // A program that could leave its bounds.
  PORTICO_E_PROGRAM = 7,
  // A configuration of which there is no fabric.
  PORTICO_E_CONFIG = 8,
  // The fabric has no host node.
  PORTICO_E_NO_HOST = 9,
  // A time-out that ends calls before they are posted at all members.
  PORTICO_E_SHORT_TIMEOUT = 10,
  // There is no such node.
  PORTICO_E_NO_SUCH_NODE = 11,
  // A node identifies itself as another node.
  PORTICO_E_WRONG_FABRIC = 12,
  // The fabric is not the configured one.
  PORTICO_E_WRONG_BITSTREAM = 13,
  // The hardware refused a command. portico_error_code() has its code.
  PORTICO_E_REFUSED = 14,
  // An operation did not complete in time; it may still complete.
  PORTICO_E_TIMEOUT = 15,
  // Bytes outside of the remote segment.
  PORTICO_E_OUT_OF_SEGMENT = 16,
  // Bytes outside of a node's memory.
  PORTICO_E_OUT_OF_MEMORY = 17,
  // An address or length that must be a multiple.
  PORTICO_E_MISALIGNED = 18,
  // A number that is too large or too small.
  PORTICO_E_OUT_OF_RANGE = 19,
  // All of a resource is taken.
  PORTICO_E_EXHAUSTED = 20,
  // Something was to be reserved that the driver has handed out.
  PORTICO_E_TAKEN = 21,
  // The node is built without it.
  PORTICO_E_NOT_BUILT = 22,
  // A handle of one node was used at another.
  PORTICO_E_WRONG_NODE = 23,
  // A message that a write has damaged.
  PORTICO_E_BAD_MESSAGE = 24,
  // A message of the host that has no credit.
  PORTICO_E_NO_CREDIT = 25,
  // A sender with messages that are under way or in the queue.
  PORTICO_E_UNRELEASED = 26,
  // A sender of another queue.
  PORTICO_E_WRONG_QUEUE = 27,
  // The mesh has no way from an edge node back to itself.
  PORTICO_E_NO_WAY = 28,
  // A page of a node without external memory.
  PORTICO_E_NO_MEMORY_NODE = 29,
  // A segment of another kind was wanted.
  PORTICO_E_WRONG_KIND = 30,
  // Memory that the driver has not allocated.
  PORTICO_E_NOT_ALLOCATED = 31,
  // Two blocks share memory of a member, and one of them is written.
  PORTICO_E_OVERLAP = 32,
  // A block that does not lie in allocated memory.
  PORTICO_E_UNALLOCATED = 33,
  // A call whose group is released.
  PORTICO_E_RELEASED = 34,
  // A group with exchanges under way.
  PORTICO_E_UNDER_WAY = 35,
  // A way that the call does not have.
  PORTICO_E_WRONG_WAY = 36,
  // No context is free at all tiles of a group.
  PORTICO_E_NO_CONTEXT = 37,
  // A call of the communicator has failed. portico_error_code() has its code.
  PORTICO_E_COMMUNICATOR_FAILED = 38,
  // The communicator belongs to another fabric.
  PORTICO_E_WRONG_COMMUNICATOR = 39,
  // A page base at which a part of the page has no address in external memory.
  PORTICO_E_PAGE_OUT_OF_REACH = 40,
  // PTL_FAIL: the fabric failed, or did not answer in time.
  PORTICO_E_PTL_FAIL = 48,
  // PTL_NO_INIT: the tile has no rank yet.
  PORTICO_E_PTL_NO_INIT = 49,
  // PTL_ARG_INVALID: a value that is not allowed, or a handle of what is gone.
  PORTICO_E_PTL_ARG_INVALID = 50,
  // PTL_NO_SPACE: all of a table is taken.
  PORTICO_E_PTL_NO_SPACE = 51,
  // PTL_PT_FULL: all portal indices are allocated.
  PORTICO_E_PTL_PT_FULL = 52,
  // PTL_PT_IN_USE: the portal index is allocated, or has entries, headers, or messages in progress.
  PORTICO_E_PTL_PT_IN_USE = 53,
  // PTL_PT_EQ_NEEDED: flow control needs an event queue.
  PORTICO_E_PTL_PT_EQ_NEEDED = 54,
  // PTL_IN_USE: something else still uses it.
  PORTICO_E_PTL_IN_USE = 55,
  // PTL_EQ_EMPTY: no event has come.
  PORTICO_E_PTL_EQ_EMPTY = 56,
  // PTL_EQ_DROPPED: events were lost in front of the one that is taken.
  PORTICO_E_PTL_EQ_DROPPED = 57,
  // PTL_CT_NONE_REACHED: no counter has reached its test in time.
  PORTICO_E_PTL_CT_NONE_REACHED = 58,
  // PTL_IGNORED: there is another map of ranks already.
  PORTICO_E_PTL_IGNORED = 59,
  // A pointer is NULL.
  PORTICO_E_NULL = 65,
  // An argument that has no meaning: an unknown number of a choice, a text that is no UTF-8.
  PORTICO_E_ARGUMENT = 66,
  // An array that is too short for what it has to take.
  PORTICO_E_SHORT_BUFFER = 67,
  // A handle that was released, or never was one.
  PORTICO_E_STALE = 68,
  // A handle of another fabric.
  PORTICO_E_FOREIGN = 69,
  // A handle of another type.
  PORTICO_E_WRONG_HANDLE = 70,
  // The fabric is in another call: of another thread, or of this one, whose transport has called.
  PORTICO_BUSY = 96,
  // An earlier call of the fabric ended with PORTICO_INTERNAL. The fabric can only be closed.
  PORTICO_CLOSED = 97,
  // A fault of the library itself, which should be reported.
  PORTICO_INTERNAL = 98,
} portico_status;

// A call of a communicator under way. It belongs to the thread that has the fabric.
typedef struct portico_call portico_call;

// A group of tiles that make MPI-like calls. Members have ranks, 0 and up, in the order in which they were named. It belongs to
// the thread that has the fabric.
typedef struct portico_comm portico_comm;

// A group of tiles that make calls by their message-passing engines. It belongs to the thread that has the fabric.
typedef struct portico_communicator portico_communicator;

// An event of a node: a counter with a threshold. It belongs to the thread that has the fabric.
typedef struct portico_event portico_event;

// An exchange that is prepared, and can be started again and again. It belongs to the thread that has the fabric.
typedef struct portico_exchange portico_exchange;

// A fabric that this process has opened: memory and registers of its nodes, and what was made in it. It belongs to one thread
// at a time: a thread may hand it on to another, but while a call of it runs, calls of other threads return PORTICO_BUSY.
typedef struct portico_fabric portico_fabric;

// Steps that lie in the memories of their tiles. They can be started again and again, and move the words that lie in memory then.
// The list belongs to the thread that has the fabric.
typedef struct portico_list portico_list;

// A mailbox of a node. Every node may send to it. It belongs to the thread that has the fabric.
typedef struct portico_mailbox portico_mailbox;

// A group of tiles that exchange blocks. It belongs to the thread that has the fabric.
typedef struct portico_peers portico_peers;

// A program in a node's program memory. It belongs to the thread that has the fabric.
typedef struct portico_program portico_program;

// A counter of an interface. It belongs to the thread that has the fabric.
typedef struct portico_ptl_ct portico_ptl_ct;

// An event queue of an interface. It belongs to the thread that has the fabric.
typedef struct portico_ptl_eq portico_ptl_eq;

// An entry of a non-matching interface. It belongs to the thread that has the fabric.
typedef struct portico_ptl_le portico_ptl_le;

// A memory descriptor of an interface. It belongs to the thread that has the fabric.
typedef struct portico_ptl_md portico_ptl_md;

// An entry of a matching interface. It belongs to the thread that has the fabric.
typedef struct portico_ptl_me portico_ptl_me;

// An interface of a tile, opened by PtlNIInit. It belongs to the thread that has the fabric.
typedef struct portico_ptl_ni portico_ptl_ni;

// A queue of messages, as its owner has it. It belongs to the thread that has the fabric.
typedef struct portico_queue portico_queue;

// A call of a group that is prepared. It can be started again and again, each time with the words that lie in memory then. It
// belongs to the thread that has the fabric.
typedef struct portico_request portico_request;

// A published window as another node reaches it: a segment handle of that node, the initiator. It belongs to the thread that has
// the fabric.
typedef struct portico_segment portico_segment;

// The right of a node to send to a queue. It belongs to the thread that has the fabric.
typedef struct portico_sender portico_sender;

// Operations for tiles, in the order in which each tile begins them: a portico_completion names the steps to which an operation
// is added. They belong to the thread that has the fabric.
typedef struct portico_steps portico_steps;

// An operation under way, which holds an event of its node until it was seen complete. It belongs to the thread that has the
// fabric.
typedef struct portico_ticket portico_ticket;

// Memory that a node has published. It belongs to the thread that has the fabric.
typedef struct portico_window portico_window;

// Functions of the caller that carry the accesses to a fabric: 32 bits at byte addresses of its host node's space. Each gets
// `context`, and those that return an int return 0, or any other number if the access could not be made. They are called from
// the thread whose call needs them. They must not jump or throw out of themselves.
typedef struct {
  // Given to each function.
  void *context;
  // Reads 32 bits.
  int (*read)(void *context, uint32_t address, uint32_t *value);
  // Writes 32 bits.
  int (*write)(void *context, uint32_t address, uint32_t value);
  // Reads `count` words that lie together. May be NULL: then `read` reads each.
  int (*read_block)(void *context, uint32_t address, uint32_t *words, size_t count);
  // Writes `count` words that lie together. May be NULL: then `write` writes each.
  int (*write_block)(void *context, uint32_t address, const uint32_t *words, size_t count);
  // Cycles since some moment in the past. They must go on with every access, or a wait would never end.
  uint64_t (*cycles)(void *context);
  // Lets so many cycles pass.
  void (*wait)(void *context, uint64_t cycles);
  // Whether the host node interrupts now: 0 or 1. May be NULL: then it never does, and events are polled.
  int (*interrupt)(void *context);
} portico_transport;

// Memory of a node that portico_allocate() has handed out.
typedef struct {
  // Whose memory.
  uint32_t node;
  // First byte, a multiple of 8.
  uint32_t base;
  // Bytes, a multiple of 8.
  uint32_t bytes;
} portico_region;

// Numbers from `first` on, up to `end`, which is none of them.
typedef struct {
  // The first number.
  uint32_t first;
  // The number behind the last.
  uint32_t end;
} portico_range;

// What portico_reserve() leaves to a master at the port of a tile.
typedef struct {
  // Windows.
  portico_range windows;
  // Segment handles.
  portico_range segments;
  // Events.
  portico_range events;
  // Bytes of memory, multiples of 8.
  portico_range bytes;
} portico_reservation;

// The memory to publish.
typedef struct {
  // First byte.
  uint32_t base;
  // Bytes.
  uint32_t bytes;
  // Whether streams fill the window, one after the other; else it takes puts, gets and atomics.
  bool stream;
  // Of a window for streams: bytes of a row; 0 without rows.
  uint32_t row;
  // From row to row, in bytes.
  uint32_t stride;
  // An event of the same node in which ends of transfers count. May be NULL.
  portico_event *event;
} portico_publication;

// What is known of a window or a segment.
typedef struct {
  // The node that has published the memory.
  uint32_t node;
  // The node that reaches it; of a window the same as `node`.
  uint32_t initiator;
  // The segment handle of the initiator, as descriptors name it; of a window 0.
  uint32_t handle;
  // Bytes.
  uint32_t bytes;
} portico_segment_facts;

// Bytes from one row or plane to the next.
typedef struct {
  // In the segment.
  uint32_t remote;
  // In the initiator's memory.
  uint32_t local;
} portico_strides;

// Which bytes a transfer moves, in one to three dimensions. All values except the counts are in bytes: whole words of the
// fabric, at most 65,535 of each. A count of 0 stands for 1, so that `{ .row = 16 }` is 16 bytes that lie together.
typedef struct {
  // Bytes that lie together at both sides. With 0 nothing is moved, and the transfer still completes.
  uint32_t row;
  // Rows of a plane.
  uint32_t rows;
  // From row to row.
  portico_strides row_strides;
  // Planes.
  uint32_t planes;
  // From plane to plane.
  portico_strides plane_strides;
} portico_geometry;

// How an operation completes. At most one of `ticket`, `event` and `steps` is not NULL. If all are, the call returns when the
// operation is complete.
typedef struct {
  // Cycles that a call without ticket, event and steps waits. After PORTICO_E_TIMEOUT the operation goes on.
  uint64_t timeout;
  // Where a ticket goes, which tells when the operation is complete.
  portico_ticket **ticket;
  // An event of the initiator, in which the operation counts together with others: see portico_event_drain().
  portico_event *event;
  // Steps to which the operation is added, in place of a start: see portico_list_new().
  portico_steps *steps;
  // The packet shaper: see portico_set_shaper().
  uint8_t shaper;
  // Whether the node holds the operation until its earlier commands have ended.
  bool drained;
} portico_completion;

// Settings of a packet shaper.
typedef struct {
  // Most flits of payload of a packet, 1 to 64.
  uint32_t maximum;
  // Flits that may pass in 256 cycles, 0 to 511; 0 for any number.
  uint32_t rate;
  // Flits that may pass at once after a pause, 0 to 511.
  uint32_t burst;
} portico_shaper;

// When an event fires: one of PORTICO_FIRES_*.
typedef uint32_t portico_fires;

// State of an event.
typedef struct {
  // Its counter, modulo 65,536.
  uint16_t count;
  // Whether its condition holds.
  bool fired;
  // The code of the first error since the state was cleared; 0 without one.
  uint32_t error;
  // The result of the last atomic.
  uint64_t value;
} portico_event_state;

// What an atomic does: one of PORTICO_ATOMIC_*.
typedef uint32_t portico_atomic_kind;

// An atomic operation on a word of a segment.
typedef struct {
  // What it does.
  portico_atomic_kind kind;
  // Bytes of the word, 4 or 8. Both nodes must do atomics of 64 bits for 8.
  uint32_t bytes;
  // The number to add or to store.
  uint64_t operand;
  // The number with which the value is compared.
  uint64_t condition;
} portico_atomic_command;

// What is known of a queue.
typedef struct {
  // The node that owns it.
  uint32_t node;
  // Most bytes of a message.
  uint32_t message_bytes;
  // Credits that are left to give to senders.
  uint32_t free_credits;
} portico_queue_facts;

// A message that was received.
typedef struct {
  // Whether there was one; else all is 0.
  bool found;
  // The node that sent it.
  uint32_t source;
  // Its words of 32 bits.
  size_t count;
} portico_message;

// How members of a group are joined: one of PORTICO_SHAPE_*.
typedef uint32_t portico_shape_kind;

// Two ranks that are joined.
typedef struct {
  // One rank.
  uint32_t one;
  // The other.
  uint32_t other;
} portico_pair;

// The tree that joins the members of a group.
typedef struct {
  // Which tree.
  portico_shape_kind kind;
  // Number of the shapes that have one.
  uint32_t number;
  // Pairs of PORTICO_SHAPE_OWN; may be NULL for others.
  const portico_pair *pairs;
  // How many pairs.
  size_t count;
} portico_shape;

// What is known of a group.
typedef struct {
  // How many members it has.
  uint32_t size;
  // Whether all members have message-passing engines.
  bool has_engines;
  // The least time-out of portico_comm_timeout(), in cycles; 0 without engines.
  uint32_t least_timeout;
} portico_comm_facts;

// How a call is carried out: one of PORTICO_WAY_*.
typedef uint32_t portico_way;

// Where words lie in the memories of members: byte addresses, multiples of 4.
typedef struct {
  // The address in all members, if `each` is NULL.
  uint32_t same;
  // An address for each rank. May be NULL.
  const uint32_t *each;
  // How many addresses `each` has: the size of the group.
  size_t count;
} portico_addresses;

// How two words are folded: one of PORTICO_FOLD_*.
typedef uint32_t portico_fold;

// What is known of a communicator.
typedef struct {
  // How many members it has.
  uint32_t size;
  // Its context: an item of the registers of the engine at every member.
  uint32_t context;
  // The least time-out of portico_communicator_timeout(), in cycles.
  uint32_t least_timeout;
} portico_communicator_facts;

// A block of an exchange.
typedef struct {
  // Rank of the sender.
  uint32_t from;
  // Rank of the receiver, which can be the sender itself.
  uint32_t to;
  // Where it lies at the sender, a byte address.
  uint32_t source;
  // Where it goes at the receiver.
  uint32_t result;
  // Its length in bytes.
  uint32_t bytes;
} portico_block;

// In which order members send: one of PORTICO_ORDER_*.
typedef uint32_t portico_order;

// The monitor's counters of a node, which wrap. On the reference model only `refused` and `dropped` count, because it has no time.
typedef struct {
  // Cycles since reset.
  uint32_t cycles;
  // Flits that came on the data plane.
  uint32_t data_in;
  // Flits that went on the data plane.
  uint32_t data_out;
  // Flits that came on the control plane.
  uint32_t control_in;
  // Flits that went on the control plane.
  uint32_t control_out;
  // Cycles in which a flit of the data plane could not go.
  uint32_t data_stalls;
  // Words from the network that were refused.
  uint32_t refused;
  // Descriptors that did not fit the queue.
  uint32_t dropped;
  // Cycles in which a micro-core ran; at a memory node, in which a get was served.
  uint32_t running;
  // Cycles in which every active micro-core waited.
  uint32_t waiting;
  // Errors of external memory; of memory nodes alone.
  uint32_t memory_errors;
  // Cycles in which an engine had work.
  uint32_t engines_run;
  // Cycles in which an engine had work and waited.
  uint32_t engines_wait;
} portico_counters;

// The packets that the source of a tile sends.
typedef struct {
  // A tile, or PORTICO_ANY_TILE.
  uint32_t target;
  // Words of payload of a packet, each of the width of the data plane: 2 to 64.
  uint32_t words;
  // How many packets.
  uint32_t packets;
  // Most packets in 65,536 cycles, on average over a run; 0 for as many as possible.
  uint32_t rate;
  // Decides random targets, and with its low 8 bits the content.
  uint32_t seed;
} portico_traffic;

// Counts of the packets that a tile has sent and received. Counts of 32 bits wrap.
typedef struct {
  // Packets that its source has sent.
  uint32_t sent;
  // Packets that have come.
  uint32_t received;
  // Words of their payload.
  uint32_t words;
  // Packets that came with a wrong length, sequence number or content.
  uint32_t errors;
  // The least latency, in cycles from the offer of a packet's head to its tail at the sink; 0 if no packet has come.
  uint32_t latency_least;
  // The greatest latency.
  uint32_t latency_greatest;
  // The sum of all latencies.
  uint64_t latency_sum;
  // Cycle in which the first head came, counted from reset.
  uint32_t first;
  // Cycle in which the last tail came.
  uint32_t last;
} portico_measured;

// Rows of a tile's memory that leave on its stream. All values except the count are in bytes.
typedef struct {
  // Address of the first row.
  uint32_t address;
  // Length of a row.
  uint32_t row;
  // How many rows. 0 stands for 1.
  uint32_t rows;
  // From row to row.
  uint32_t stride;
  // Whether the last word of each row has `tlast`, not that of the last row alone.
  bool each_row;
} portico_send_rows;

// State of the streams of a tile.
typedef struct {
  // Sends that run, 0 or 1.
  uint32_t sends_running;
  // Sends that wait.
  uint32_t sends_waiting;
  // Words of the fabric that the last send that ended has moved.
  uint32_t sent;
  // Receives that run, 0 or 1.
  uint32_t receives_running;
  // Receives that wait.
  uint32_t receives_waiting;
  // Words of the fabric that the last receive that ended has moved.
  uint32_t received;
} portico_streams_state;

// Which interface of a tile: one of PORTICO_PTL_NI_*.
typedef uint32_t portico_ptl_interface;

// A status register of an interface: one of PORTICO_PTL_SR_*.
typedef uint32_t portico_ptl_status_register;

// Limits of an interface: ptl_ni_limits_t. What does not exist has 0.
typedef struct {
  // Entries in all lists, and headers of unexpected messages: they share their places.
  uint64_t max_entries;
  // Headers of unexpected messages: as many as entries.
  uint64_t max_unexpected_headers;
  // Memory descriptors.
  uint64_t max_mds;
  // Counters.
  uint64_t max_cts;
  // Event queues.
  uint64_t max_eqs;
  // Largest portal index.
  uint64_t max_pt_index;
  // Pieces of a memory descriptor or entry.
  uint64_t max_iovecs;
  // Entries of one list.
  uint64_t max_list_size;
  // Triggered operations.
  uint64_t max_triggered_ops;
  // Bytes of a message.
  uint64_t max_msg_size;
  // Bytes of an atomic.
  uint64_t max_atomic_size;
  // Bytes of an atomic that fetches.
  uint64_t max_fetch_atomic_size;
  // Bytes whose order is kept when one message writes what another wrote.
  uint64_t max_waw_ordered_size;
  // Bytes whose order is kept when one message writes what another read.
  uint64_t max_war_ordered_size;
  // Bytes of a put that are copied before it returns.
  uint64_t max_volatile_size;
  // Whether the data of two messages of a pair are in their order, whatever they do.
  bool total_data_ordering;
} portico_ptl_limits;

// Options: a sum of PORTICO_PTL_PT_*, PORTICO_PTL_ME_* or PORTICO_PTL_MD_*.
typedef uint32_t portico_ptl_options;

// Counts of a counter: ptl_ct_event_t.
typedef struct {
  // Successes, or bytes.
  uint64_t success;
  // Failures.
  uint64_t failure;
} portico_ptl_ct_event;

// An event of an event queue: ptl_event_t. Fields that its kind does not have are 0.
typedef struct {
  // Its kind: one of PORTICO_PTL_EVENT_*.
  uint32_t kind;
  // How the operation ended: one of PORTICO_PTL_NI_FAIL_*.
  uint32_t ni_fail_type;
  // The list of the entry: PORTICO_PTL_PRIORITY or PORTICO_PTL_OVERFLOW.
  uint32_t ptl_list;
  // The portal index.
  uint32_t pt_index;
  // Rank of the initiator.
  uint32_t initiator;
  // User of the initiator.
  uint32_t uid;
  // Match bits of the request.
  uint64_t match_bits;
  // Header data of the put.
  uint64_t hdr_data;
  // Requested length, in bytes.
  uint64_t rlength;
  // Delivered length, in bytes.
  uint64_t mlength;
  // Offset in the entry, in bytes.
  uint64_t remote_offset;
  // Address of the data in the target's memory.
  uint32_t start;
  // The pointer of the entry, or of the put or get.
  uint32_t user_ptr;
} portico_ptl_event;

// A memory descriptor to bind: ptl_md_t.
typedef struct {
  // Length in bytes.
  uint64_t length;
  // Queue of SEND, ACK and REPLY. May be NULL.
  portico_ptl_eq *eq;
  // Counter of them. May be NULL.
  portico_ptl_ct *ct;
  // Byte address in the memory of the tile; any.
  uint32_t start;
  // Options of PORTICO_PTL_MD_*.
  portico_ptl_options options;
} portico_ptl_md_piece;

// An entry to append: ptl_me_t, and ptl_le_t, which has no match bits, no source and no `min_free`.
typedef struct {
  // Length in bytes.
  uint64_t length;
  // Match bits.
  uint64_t match_bits;
  // Match bits that do not count.
  uint64_t ignore_bits;
  // With MANAGE_LOCAL: it leaves its list when fewer bytes are left; 0 for never.
  uint64_t min_free;
  // Its counter. May be NULL.
  portico_ptl_ct *ct;
  // Byte address in the memory of the tile; any.
  uint32_t start;
  // Options of PORTICO_PTL_ME_*.
  portico_ptl_options options;
  // The user from whom it takes messages, or PORTICO_PTL_ANY.
  uint32_t uid;
  // The rank from which it takes messages, or PORTICO_PTL_ANY.
  uint32_t match_id;
  // Its list: PORTICO_PTL_PRIORITY or PORTICO_PTL_OVERFLOW.
  uint32_t list;
  // For its events.
  uint32_t user_ptr;
} portico_ptl_entry;

// The effect of a search on the headers that it finds: one of PORTICO_PTL_SEARCH_*.
typedef uint32_t portico_ptl_search_op;

// Which acknowledgement a put asks for: one of PORTICO_PTL_*ACK*.
typedef uint32_t portico_ptl_ack;

// Arguments of PtlPut and PtlGet.
typedef struct {
  // The memory descriptor.
  portico_ptl_md *md;
  // Offset in it, in bytes.
  uint64_t local_offset;
  // Length in bytes.
  uint64_t length;
  // Match bits; of no meaning on a non-matching interface.
  uint64_t match_bits;
  // Offset in the entry, in bytes.
  uint64_t remote_offset;
  // For the event at the target; of a put alone.
  uint64_t hdr_data;
  // Rank of the target.
  uint32_t target;
  // Portal index at the target.
  uint32_t pt_index;
  // Which acknowledgement; of a put alone.
  portico_ptl_ack ack;
  // For the events at the initiator.
  uint32_t user_ptr;
} portico_ptl_message;

// Never.
#define PORTICO_FIRES_NEVER 0

// When the count is the threshold.
#define PORTICO_FIRES_EQUAL 1

// When the count is the threshold or more.
#define PORTICO_FIRES_AT_LEAST 2

// When the count is not the threshold.
#define PORTICO_FIRES_NOT_EQUAL 3

// Adds `operand`. Sums wrap.
#define PORTICO_ATOMIC_POSTADD 0

// Stores `operand`.
#define PORTICO_ATOMIC_POKE 1

// Adds `operand`, and gives the old value.
#define PORTICO_ATOMIC_FETCHADD 2

// Stores 0, and gives the old value.
#define PORTICO_ATOMIC_FETCHCLEAR 3

// Stores `operand` if the value is `condition`; gives the old value.
#define PORTICO_ATOMIC_COMPARE_AND_SWAP 4

// Gives the value.
#define PORTICO_ATOMIC_PEEK 5

// Adds `operand` if the value is below `condition`, unsigned; gives the old value.
#define PORTICO_ATOMIC_ADD_IF 6

// A chain: even rows from west to east, odd rows from east to west.
#define PORTICO_SHAPE_LINEAR 0

// Each rank with the one that lacks its lowest bit that is set.
#define PORTICO_SHAPE_BINOMIAL 1

// Each rank r with rank (r - 1) / `number`.
#define PORTICO_SHAPE_KARY 2

// Along column `number`, then along the rows.
#define PORTICO_SHAPE_COLUMNS 3

// Along row `number`, then along the columns.
#define PORTICO_SHAPE_ROWS 4

// Along the centre column, then along the rows.
#define PORTICO_SHAPE_CENTRE 5

// All with rank 0; on two levels if its list is too short.
#define PORTICO_SHAPE_STAR 6

// These pairs of ranks.
#define PORTICO_SHAPE_OWN 7

// The member in the middle of each quarter of the group's rectangle, again and again.
#define PORTICO_SHAPE_QUAD 8

// Integer sum, which wraps.
#define PORTICO_FOLD_INTEGER_SUM 0

// The lesser signed integer.
#define PORTICO_FOLD_INTEGER_MIN 2

// The greater signed integer.
#define PORTICO_FOLD_INTEGER_MAX 3

// Bits that both have.
#define PORTICO_FOLD_AND 4

// Bits that either has.
#define PORTICO_FOLD_OR 5

// Bits that one alone has.
#define PORTICO_FOLD_XOR 6

// Floating-point sum, rounded to nearest even.
#define PORTICO_FOLD_FLOAT_SUM 8

// The minimum of IEEE 754-2019, 9.6.
#define PORTICO_FOLD_FLOAT_MIN 10

// The maximum of IEEE 754-2019, 9.6.
#define PORTICO_FOLD_FLOAT_MAX 11

// As is likely to be the fastest.
#define PORTICO_WAY_CHEAPEST 0

// By the message-passing engines of the members.
#define PORTICO_WAY_ENGINES 1

// By puts of the members, from command lists.
#define PORTICO_WAY_PUTS 2

// By this program.
#define PORTICO_WAY_HOST 3

// From the next rank on, round the group.
#define PORTICO_ORDER_ROTATED 0

// By rounds in which packets share no link.
#define PORTICO_ORDER_ROUNDS 1

// From rank 0 on.
#define PORTICO_ORDER_RANKS 2

// A promise that all entries have USE_ONCE.
#define PORTICO_PTL_PT_ONLY_USE_ONCE 1

// A promise that no entry has NO_TRUNCATE.
#define PORTICO_PTL_PT_ONLY_TRUNCATE 2

// Flow control, which is refused.
#define PORTICO_PTL_PT_FLOWCTRL 4

// The index is disabled until portico_ptl_pt_enable().
#define PORTICO_PTL_PT_ALLOC_DISABLED 8

// It leaves its list with the first message that it takes; its append and a search find one header.
#define PORTICO_PTL_ME_USE_ONCE 1

// It matches only a message that fits.
#define PORTICO_PTL_ME_NO_TRUNCATE 2

// It keeps an offset of its own, which each message advances.
#define PORTICO_PTL_ME_MANAGE_LOCAL 4

// In Overflow: its messages leave no headers, so no later append or search finds them.
#define PORTICO_PTL_ME_UNEXPECTED_HDR_DISABLE 8

// It takes puts.
#define PORTICO_PTL_ME_OP_PUT 16

// It takes gets.
#define PORTICO_PTL_ME_OP_GET 32

// Its messages raise nothing at their initiators.
#define PORTICO_PTL_ME_ACK_DISABLE 64

// No LINK.
#define PORTICO_PTL_ME_EVENT_LINK_DISABLE 128

// No AUTO_UNLINK and no AUTO_FREE.
#define PORTICO_PTL_ME_EVENT_UNLINK_DISABLE 256

// No events of messages; of a search no PORTICO_PTL_EVENT_SEARCH.
#define PORTICO_PTL_ME_EVENT_COMM_DISABLE 512

// No PORTICO_PTL_EVENT_PUT_OVERFLOW and no PORTICO_PTL_EVENT_GET_OVERFLOW of headers that an append or search consumes.
#define PORTICO_PTL_ME_EVENT_OVER_DISABLE 1024

// No events of success.
#define PORTICO_PTL_ME_EVENT_SUCCESS_DISABLE 2048

// Its counter counts messages.
#define PORTICO_PTL_ME_EVENT_CT_COMM 4096

// Its counter counts the headers that its append consumes; of no meaning in a search.
#define PORTICO_PTL_ME_EVENT_CT_OVERFLOW 8192

// Its counter counts bytes.
#define PORTICO_PTL_ME_EVENT_CT_BYTES 16384

// A hint without an effect.
#define PORTICO_PTL_ME_MAY_ALIGN 32768

// A hint without an effect.
#define PORTICO_PTL_ME_IS_ACCESSIBLE 65536

// No PT_DISABLED.
#define PORTICO_PTL_ME_EVENT_FLOWCTRL_DISABLE 131072

// Refused: an entry is one piece of memory.
#define PORTICO_PTL_ME_IOVEC 262144

// No event of success. Failures and counts stay.
#define PORTICO_PTL_MD_EVENT_SUCCESS_DISABLE 1

// No SEND.
#define PORTICO_PTL_MD_EVENT_SEND_DISABLE 2

// Its counter counts sends.
#define PORTICO_PTL_MD_EVENT_CT_SEND 4

// Its counter counts replies.
#define PORTICO_PTL_MD_EVENT_CT_REPLY 8

// Its counter counts acknowledgements.
#define PORTICO_PTL_MD_EVENT_CT_ACK 16

// Its counter counts bytes.
#define PORTICO_PTL_MD_EVENT_CT_BYTES 32

// A hint without an effect.
#define PORTICO_PTL_MD_UNORDERED 64

// A hint without an effect.
#define PORTICO_PTL_MD_VOLATILE 128

// Refused: a memory descriptor is one piece of memory.
#define PORTICO_PTL_MD_IOVEC 256

// Entries have match bits and a source.
#define PORTICO_PTL_NI_MATCHING 0

// The first entry of an index takes every message.
#define PORTICO_PTL_NI_NO_MATCHING 1

// Messages that matched nothing, whose header had no place, or that met an index that is disabled or not allocated.
#define PORTICO_PTL_SR_DROP_COUNT 0

// Messages whose entry is for another user.
#define PORTICO_PTL_SR_PERMISSION_VIOLATIONS 1

// Messages whose entry does not allow the operation.
#define PORTICO_PTL_SR_OPERATION_VIOLATIONS 2

// They stay, and PORTICO_PTL_EVENT_SEARCH tells each.
#define PORTICO_PTL_SEARCH_ONLY 0

// They leave, and PORTICO_PTL_EVENT_PUT_OVERFLOW or PORTICO_PTL_EVENT_GET_OVERFLOW tells each.
#define PORTICO_PTL_SEARCH_DELETE 1

// None.
#define PORTICO_PTL_NO_ACK_REQ 0

// The event ACK, and a count.
#define PORTICO_PTL_ACK_REQ 1

// A count alone.
#define PORTICO_PTL_CT_ACK_REQ 2

// A count that the operation is over, whatever became of it.
#define PORTICO_PTL_OC_ACK_REQ 3

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Writes the text of this thread's last error, with field, value and range, and a NUL behind it. A call that succeeds leaves it
// as it is; before the first error it is empty. A text that is longer than `size` - 1 bytes is cut. 512 bytes are enough for
// nearly all texts.
//
// Errors: PORTICO_E_NULL, PORTICO_E_SHORT_BUFFER of a text that is cut or of `size` 0. Neither becomes the last error.
portico_status portico_error_text(char *text,
                                  size_t size);

// The hardware's code of this thread's last error, if it is PORTICO_E_REFUSED or PORTICO_E_COMMUNICATOR_FAILED; else 0. The
// header of `portico registers --form c` has the codes as PORTICO_ERROR_*.
//
// Errors: PORTICO_E_NULL.
portico_status portico_error_code(uint32_t *code);

// Version of the library: equal to PORTICO_VERSION if this header is of the same version.
const char *portico_version(void);

// Opens the reference model in this process. `config` is the text of a portico.toml; a text without a key is the default fabric.
//
// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of a text that is no UTF-8, PORTICO_E_CONFIG.
portico_status portico_open_golden(const char *config,
                                   portico_fabric **fabric);

// Opens a fabric in the memory of this computer: the space of its host node from byte `offset` of a device such as /dev/uio0 on.
// Map N of a UIO device has the offset of N pages. `hertz` is the clock of the fabric. The fabric must have been reset since an
// earlier program has used it.
//
// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT, PORTICO_E_CONFIG, PORTICO_E_TRANSPORT if the file cannot be opened or mapped,
// PORTICO_E_WRONG_BITSTREAM with both values if the configuration is not the fabric's.
portico_status portico_open_uio(const char *path,
                                uint64_t offset,
                                const char *config,
                                double hertz,
                                portico_fabric **fabric);

// Opens a fabric behind the UART bridge of a board, and resets it. `path` is a serial port such as /dev/ttyUSB0, `baud` its rate
// in bits a second, 1,000,000 unless the bridge was built for another.
//
// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT, PORTICO_E_CONFIG, PORTICO_E_TRANSPORT of the port or without an answer,
// PORTICO_E_WRONG_BITSTREAM with both values if the configuration is not the fabric's.
portico_status portico_open_serial(const char *path,
                                   uint32_t baud,
                                   const char *config,
                                   portico_fabric **fabric);

// Opens a fabric over functions of the caller, which are copied. Their context must live until the fabric is closed.
//
// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT, PORTICO_E_CONFIG, PORTICO_E_TRANSPORT if a function returns another number than 0,
// PORTICO_E_WRONG_BITSTREAM with both values if the configuration is not the fabric's, PORTICO_E_TIMEOUT.
portico_status portico_open_custom(const portico_transport *transport,
                                   const char *config,
                                   portico_fabric **fabric);

// Compares the registers of the host node and of tile 0 with the configuration. Every open but that of the reference model has
// done this.
//
// Errors: PORTICO_E_WRONG_BITSTREAM with the first field that differs, or the fabric's.
portico_status portico_verify(portico_fabric *fabric);

// Closes a fabric. All of its handles are stale from then on. Operations under way go on.
//
// Errors: PORTICO_E_NULL, PORTICO_E_STALE, PORTICO_BUSY.
portico_status portico_close(portico_fabric *fabric);

// Reads `count` words of 32 bits of a node's memory, from byte `address` on.
//
// Errors: PORTICO_E_NULL, PORTICO_E_MISALIGNED, PORTICO_E_OUT_OF_MEMORY, PORTICO_E_NO_SUCH_NODE, PORTICO_E_TIMEOUT,
// PORTICO_E_TRANSPORT.
portico_status portico_read(portico_fabric *fabric,
                            uint32_t node,
                            uint32_t address,
                            uint32_t *words,
                            size_t count);

// Writes `count` words of 32 bits of a node's memory, from byte `address` on.
//
// Errors: as of portico_read(); nothing is written unless the fabric itself fails.
portico_status portico_write(portico_fabric *fabric,
                             uint32_t node,
                             uint32_t address,
                             const uint32_t *words,
                             size_t count);

// Takes memory of a node, in multiples of 8 bytes.
//
// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_RANGE, PORTICO_E_EXHAUSTED, PORTICO_E_NO_SUCH_NODE.
portico_status portico_allocate(portico_fabric *fabric,
                                uint32_t node,
                                uint32_t bytes,
                                portico_region *region);

// Gives memory back.
//
// Errors: PORTICO_E_NULL, PORTICO_E_NOT_ALLOCATED, PORTICO_E_NO_SUCH_NODE.
portico_status portico_free(portico_fabric *fabric, const portico_region *region);

// Leaves windows, segments, events and bytes of memory of a tile to a master at its port: the library hands none of them out
// until the fabric is opened anew.
//
// Errors: PORTICO_E_NULL, PORTICO_E_NO_SUCH_NODE of a node that is no tile, PORTICO_E_NOT_BUILT without ports,
// PORTICO_E_OUT_OF_RANGE, PORTICO_E_OUT_OF_MEMORY, PORTICO_E_MISALIGNED, PORTICO_E_TAKEN. Nothing is reserved then.
portico_status portico_reserve(portico_fabric *fabric,
                               uint32_t tile,
                               const portico_reservation *reservation);

// Moves a page of a memory node: its words are then those of external memory from byte `base` on.
//
// Errors: PORTICO_E_OUT_OF_RANGE of the page, PORTICO_E_MISALIGNED, PORTICO_E_PAGE_OUT_OF_REACH unless all of the page has
// addresses (key `memory_address`), PORTICO_E_NO_MEMORY_NODE, PORTICO_E_NO_SUCH_NODE, PORTICO_E_TIMEOUT, PORTICO_E_TRANSPORT.
portico_status portico_move_page(portico_fabric *fabric,
                                 uint32_t node,
                                 uint32_t page,
                                 uint64_t base);

// Bytes of a node's memory.
//
// Errors: PORTICO_E_NULL, PORTICO_E_NO_SUCH_NODE.
portico_status portico_memory_bytes(portico_fabric *fabric, uint32_t node, uint32_t *bytes);

// Bytes of a word of the fabric: addresses and lengths are multiples of it.
//
// Errors: PORTICO_E_NULL.
portico_status portico_word_bytes(portico_fabric *fabric, uint32_t *bytes);

// The node through which the library works. Tiles have the numbers below it.
//
// Errors: PORTICO_E_NULL.
portico_status portico_host_node(portico_fabric *fabric, uint32_t *node);

// Sets the cycles that an access of the library may take: to memory and registers of nodes, and to get room for a command.
portico_status portico_set_timeout(portico_fabric *fabric,
                                   uint64_t cycles);

// Cycles as the transport counts them, since some moment in the past.
//
// Errors: PORTICO_E_NULL.
portico_status portico_cycles(portico_fabric *fabric, uint64_t *cycles);

// Lets so many cycles pass, at most 2^40.
//
// Errors: PORTICO_E_OUT_OF_RANGE.
portico_status portico_wait(portico_fabric *fabric, uint64_t cycles);

// Whether the host node interrupts now.
//
// Errors: PORTICO_E_NULL.
portico_status portico_interrupt(portico_fabric *fabric, bool *interrupts);

// Whether there is an AXI4-Lite port at this tile.
//
// Errors: PORTICO_E_NO_SUCH_NODE, PORTICO_E_NOT_BUILT.
portico_status portico_check_port(portico_fabric *fabric, uint32_t tile);

// Whether there are streams at this tile.
//
// Errors: PORTICO_E_NO_SUCH_NODE, PORTICO_E_NOT_BUILT.
portico_status portico_check_streams(portico_fabric *fabric, uint32_t tile);

// Opens a window of a node, over memory that others may then reach.
//
// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_MEMORY, PORTICO_E_MISALIGNED, PORTICO_E_OUT_OF_RANGE of row and stride,
// PORTICO_E_WRONG_NODE of the event, PORTICO_E_EXHAUSTED, PORTICO_E_NO_SUCH_NODE, or the fabric's.
portico_status portico_publish(portico_fabric *fabric,
                               uint32_t node,
                               const portico_publication *publication,
                               portico_window **window);

// What is known of a window.
//
// Errors: PORTICO_E_NULL.
portico_status portico_window_info(portico_fabric *fabric,
                                   portico_window *window,
                                   portico_segment_facts *about);

// Ends of transfers since the window was published, modulo 65,536.
//
// Errors: PORTICO_E_NULL, or the fabric's.
portico_status portico_window_ends(portico_fabric *fabric, portico_window *window, uint16_t *ends);

// Puts the pointer of a window for streams back to the first byte.
//
// Errors: PORTICO_E_NULL, PORTICO_E_WRONG_KIND if the window takes no streams, or the fabric's.
portico_status portico_window_rewind(portico_fabric *fabric, portico_window *window);

// Closes a window: it refuses all later packets. The handle is stale then, also after an error of the fabric.
//
// Errors: PORTICO_E_NULL, or the fabric's.
portico_status portico_window_withdraw(portico_fabric *fabric,
                                       portico_window *window);

// Makes a window known to a node: a tile, or the host.
//
// Errors: PORTICO_E_NULL, PORTICO_E_EXHAUSTED, PORTICO_E_NO_SUCH_NODE, PORTICO_E_NO_WAY from an edge node to itself, or the
// fabric's.
portico_status portico_clone_segment(portico_fabric *fabric,
                                     uint32_t node,
                                     portico_window *window,
                                     portico_segment **segment);

// What is known of a segment.
//
// Errors: PORTICO_E_NULL.
portico_status portico_segment_info(portico_fabric *fabric,
                                    portico_segment *segment,
                                    portico_segment_facts *about);

// Releases a segment. Its operations should be complete: see portico_fence(). The handle is stale then, also after an error of
// the fabric.
//
// Errors: PORTICO_E_NULL, or the fabric's.
portico_status portico_segment_release(portico_fabric *fabric,
                                       portico_segment *segment);

// Writes memory of the segment's initiator, from byte `local` on, to the segment, from byte `offset` on.
//
// Errors, before anything is sent: PORTICO_E_NULL, PORTICO_E_OUT_OF_SEGMENT, PORTICO_E_OUT_OF_MEMORY, PORTICO_E_DESCRIPTOR of
// addresses and geometry, PORTICO_E_WRONG_KIND, PORTICO_E_WRONG_NODE of the event, PORTICO_E_EXHAUSTED of events. Of the
// operation: PORTICO_E_REFUSED, PORTICO_E_TIMEOUT, PORTICO_E_TRANSPORT.
portico_status portico_put(portico_fabric *fabric,
                           portico_segment *segment,
                           uint32_t offset,
                           uint32_t local,
                           const portico_geometry *geometry,
                           const portico_completion *completion);

// Reads the segment, from byte `offset` on, into memory of its initiator, from byte `local` on.
//
// Errors: as of portico_put().
portico_status portico_get(portico_fabric *fabric,
                           portico_segment *segment,
                           uint32_t offset,
                           uint32_t local,
                           const portico_geometry *geometry,
                           const portico_completion *completion);

// Appends memory of the segment's initiator to a window for streams. Complete when it is sent: streams are not acknowledged.
//
// Errors: as of portico_put(); PORTICO_E_DESCRIPTOR of planes.
portico_status portico_stream(portico_fabric *fabric,
                              portico_segment *segment,
                              uint32_t local,
                              const portico_geometry *geometry,
                              const portico_completion *completion);

// Complete when all earlier operations of the segment's initiator on the segment are visible there.
//
// Errors: PORTICO_E_NULL, or of the operation as of portico_put().
portico_status portico_fence(portico_fabric *fabric,
                             portico_segment *segment,
                             const portico_completion *completion);

// Sends any descriptor of `count` words from a node; the library sets only its event. For commands without a function here. The
// command must count in its event exactly once. `value` gets the value of its event if the call waits, else 0.
//
// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_RANGE unless it has 1 to 16 words, PORTICO_E_NO_SUCH_NODE, or of the operation as of
// portico_put().
portico_status portico_descriptor(portico_fabric *fabric,
                                  uint32_t node,
                                  const uint32_t *words,
                                  size_t count,
                                  const portico_completion *completion,
                                  uint64_t *value);

// Sets one of a node's packet shapers. Operations take number 0 unless their completion names another.
//
// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_RANGE, PORTICO_E_NO_SUCH_NODE, or the fabric's.
portico_status portico_set_shaper(portico_fabric *fabric,
                                  uint32_t node,
                                  uint8_t number,
                                  const portico_shaper *shaper);

// Whether an operation is complete. `value` gets its result then, 0 for an operation without one.
//
// Errors: PORTICO_E_NULL, PORTICO_E_REFUSED by the hardware, or the fabric's.
portico_status portico_ticket_poll(portico_fabric *fabric,
                                   portico_ticket *ticket,
                                   bool *is_complete,
                                   uint64_t *value);

// Waits until an operation is complete, for at most `timeout` cycles. `value` gets its result, 0 for an operation without one.
// After a time-out it may be waited for again.
//
// Errors: PORTICO_E_NULL, PORTICO_E_TIMEOUT, PORTICO_E_REFUSED by the hardware, or the fabric's.
portico_status portico_ticket_wait(portico_fabric *fabric,
                                   portico_ticket *ticket,
                                   uint64_t timeout,
                                   uint64_t *value);

// Releases a ticket. An operation that is not complete goes on, and its event is free once it has completed.
//
// Errors: PORTICO_E_NULL.
portico_status portico_ticket_release(portico_fabric *fabric,
                                      portico_ticket *ticket);

// Takes an event of a node. Its counter is 0 and it never fires.
//
// Errors: PORTICO_E_NULL, PORTICO_E_EXHAUSTED, PORTICO_E_NO_SUCH_NODE, or the fabric's.
portico_status portico_event_take(portico_fabric *fabric, uint32_t node, portico_event **event);

// Node of an event, and its number there, as descriptors and programs use it.
//
// Errors: PORTICO_E_NULL.
portico_status portico_event_info(portico_fabric *fabric,
                                  portico_event *event,
                                  uint32_t *node,
                                  uint32_t *number);

// Sets the condition on which an event fires, and whether it then interrupts.
//
// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of the condition, or the fabric's.
portico_status portico_event_configure(portico_fabric *fabric,
                                       portico_event *event,
                                       uint16_t threshold,
                                       portico_fires fires,
                                       bool interrupts);

// Sets the counter and clears the error. No operation should be under way that counts in the event.
//
// Errors: PORTICO_E_NULL, or the fabric's.
portico_status portico_event_reset(portico_fabric *fabric, portico_event *event, uint16_t count);

// Reads the state of an event.
//
// Errors: PORTICO_E_NULL, or the fabric's.
portico_status portico_event_poll(portico_fabric *fabric,
                                  portico_event *event,
                                  portico_event_state *found);

// Waits until an event has fired, for at most `timeout` cycles. An error of the event is in its state, and is no error of this
// call.
//
// Errors: PORTICO_E_NULL, PORTICO_E_TIMEOUT, or the fabric's.
portico_status portico_event_wait(portico_fabric *fabric,
                                  portico_event *event,
                                  uint64_t timeout,
                                  portico_event_state *found);

// Waits until all operations that count in an event are complete, for at most `timeout` cycles. Nothing else may count in it.
//
// Errors: PORTICO_E_NULL, PORTICO_E_REFUSED with the first error, which is cleared then; PORTICO_E_TIMEOUT; or the fabric's.
portico_status portico_event_drain(portico_fabric *fabric,
                                   portico_event *event,
                                   uint64_t timeout);

// Switches an event off and releases it. The handle is stale then, also after an error of the fabric.
//
// Errors: PORTICO_E_NULL, or the fabric's.
portico_status portico_event_release(portico_fabric *fabric,
                                     portico_event *event);

// An atomic operation on the word at byte `offset` of a segment. `value` gets the old value, if the operation gives it and the
// call waits; else 0. A ticket of the operation has the old value too.
//
// Errors: as of portico_put(); PORTICO_E_ARGUMENT of `kind`, PORTICO_E_OUT_OF_RANGE of `bytes` and of numbers that do not fit,
// PORTICO_E_NOT_BUILT of 8 bytes.
portico_status portico_atomic(portico_fabric *fabric,
                              portico_segment *segment,
                              uint32_t offset,
                              const portico_atomic_command *command,
                              const portico_completion *completion,
                              uint64_t *value);

// Makes a queue at a node, with `slots` places, a power of two, for messages of at most `message_bytes` bytes. Arrivals count in
// `event`, of the same node, which may be NULL.
//
// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_RANGE, PORTICO_E_MISALIGNED, PORTICO_E_WRONG_NODE of the event, PORTICO_E_EXHAUSTED,
// PORTICO_E_NO_SUCH_NODE, PORTICO_E_NOT_BUILT, or the fabric's.
portico_status portico_queue_new(portico_fabric *fabric,
                                 uint32_t node,
                                 uint32_t slots,
                                 uint32_t message_bytes,
                                 portico_event *event,
                                 portico_queue **queue);

// What is known of a queue.
//
// Errors: PORTICO_E_NULL.
portico_status portico_queue_info(portico_fabric *fabric,
                                  portico_queue *queue,
                                  portico_queue_facts *facts);

// Messages that have arrived and are not yet read.
//
// Errors: PORTICO_E_NULL, or the fabric's.
portico_status portico_queue_waiting(portico_fabric *fabric,
                                     portico_queue *queue,
                                     uint32_t *messages);

// Takes the next message, if one has arrived, into `words`, which has room for `count`, at least `message_bytes` / 4. The message
// keeps its slot until released.
//
// Errors: PORTICO_E_NULL, PORTICO_E_SHORT_BUFFER, PORTICO_E_BAD_MESSAGE if its slot was overwritten: it must be released. Or the
// fabric's.
portico_status portico_queue_receive(portico_fabric *fabric,
                                     portico_queue *queue,
                                     uint32_t *words,
                                     size_t count,
                                     portico_message *message);

// As portico_queue_receive(), and waits for a message, for at most `timeout` cycles.
//
// Errors: as of portico_queue_receive(), and PORTICO_E_TIMEOUT.
portico_status portico_queue_wait(portico_fabric *fabric,
                                  portico_queue *queue,
                                  uint64_t timeout,
                                  uint32_t *words,
                                  size_t count,
                                  portico_message *message);

// Gives back the slots of the oldest messages that were read, and the credits to their senders.
//
// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_RANGE if so many were not read, or the fabric's.
portico_status portico_queue_release(portico_fabric *fabric,
                                     portico_queue *queue,
                                     uint16_t messages);

// Closes a queue. Messages in it are lost, and so are those that arrive later. The handle is stale then, also after an error of
// the fabric.
//
// Errors: PORTICO_E_NULL, or the fabric's.
portico_status portico_queue_close(portico_fabric *fabric,
                                   portico_queue *queue);

// Makes a queue known to a node, which may have `credits` messages in it at a time.
//
// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_RANGE of the credits, PORTICO_E_EXHAUSTED, PORTICO_E_NO_SUCH_NODE,
// PORTICO_E_NOT_BUILT, or the fabric's.
portico_status portico_queue_sender(portico_fabric *fabric,
                                    portico_queue *queue,
                                    uint32_t node,
                                    uint32_t credits,
                                    portico_sender **sender);

// Node of a sender, and the handle of the queue there, as descriptors name it.
//
// Errors: PORTICO_E_NULL.
portico_status portico_sender_info(portico_fabric *fabric,
                                   portico_sender *sender,
                                   uint32_t *node,
                                   uint32_t *handle);

// Sends `bytes` of the memory of the sender's node, from byte `local` on, as a message. Complete when it is sent, for which it
// waits until the sender has a credit.
//
// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_RANGE if it is too long, PORTICO_E_OUT_OF_MEMORY, PORTICO_E_MISALIGNED,
// PORTICO_E_NO_CREDIT of the host, or of the operation as of portico_put().
portico_status portico_enqueue(portico_fabric *fabric,
                               portico_sender *sender,
                               uint32_t local,
                               uint32_t bytes,
                               const portico_completion *completion);

// Takes back a sender's credits and its segment handle. After an error the sender stays.
//
// Errors: PORTICO_E_NULL, PORTICO_E_UNRELEASED if a message of it is, or will be, in the queue, PORTICO_E_WRONG_QUEUE,
// PORTICO_E_EXHAUSTED, PORTICO_E_TIMEOUT, or the fabric's.
portico_status portico_queue_retire(portico_fabric *fabric,
                                    portico_queue *queue,
                                    portico_sender *sender);

// Releases the segment handle of a sender whose queue is closed or will be. The handle is stale then, also after an error of the
// fabric.
//
// Errors: PORTICO_E_NULL, or the fabric's.
portico_status portico_sender_release(portico_fabric *fabric,
                                      portico_sender *sender);

// Takes a mailbox of a node, empty. With `arrivals` 0, each message replaces the one before, and notifies; with 1 to 255,
// messages are ORed, and the last of this number notifies. `event`, of the same node, is notified; it may be NULL.
//
// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_RANGE of `arrivals`, PORTICO_E_WRONG_NODE of the event, PORTICO_E_EXHAUSTED,
// PORTICO_E_NO_SUCH_NODE, PORTICO_E_NOT_BUILT at a memory node, or the fabric's.
portico_status portico_mailbox_take(portico_fabric *fabric,
                                    uint32_t node,
                                    uint32_t arrivals,
                                    portico_event *event,
                                    portico_mailbox **mailbox);

// Node of a mailbox, and its number there.
//
// Errors: PORTICO_E_NULL.
portico_status portico_mailbox_info(portico_fabric *fabric,
                                    portico_mailbox *mailbox,
                                    uint32_t *node,
                                    uint32_t *number);

// Arrivals since the mailbox was cleared, or of the round of its barrier; and the value.
//
// Errors: PORTICO_E_NULL, or the fabric's.
portico_status portico_mailbox_read(portico_fabric *fabric,
                                    portico_mailbox *mailbox,
                                    uint32_t *count,
                                    uint64_t *value);

// Sets count and value to 0.
//
// Errors: PORTICO_E_NULL, or the fabric's.
portico_status portico_mailbox_clear(portico_fabric *fabric, portico_mailbox *mailbox);

// Releases a mailbox. Later messages to it stay unnoticed. The handle is stale then, also after an error of the fabric.
//
// Errors: PORTICO_E_NULL, or the fabric's.
portico_status portico_mailbox_release(portico_fabric *fabric,
                                       portico_mailbox *mailbox);

// Sends 64 bits from a node, a tile or the host, to a mailbox. Complete when they are sent.
//
// Errors: PORTICO_E_NULL, PORTICO_E_NO_SUCH_NODE, PORTICO_E_NO_WAY from an edge node to itself, or of the operation as of
// portico_put().
portico_status portico_mail(portico_fabric *fabric,
                            uint32_t node,
                            portico_mailbox *mailbox,
                            uint64_t value,
                            const portico_completion *completion);

// Translates the text of a program into instructions. `words` has room for `size`; 256 are enough for every program that can be
// loaded. `count` gets their number.
//
// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of a text that is no UTF-8, PORTICO_E_ASSEMBLY with the line,
// PORTICO_E_SHORT_BUFFER.
portico_status portico_assemble(const char *program,
                                uint32_t *words,
                                size_t size,
                                size_t *count);

// Writes the text of instructions, with a NUL behind it. A text that is longer than `size` - 1 bytes is cut.
//
// Errors: PORTICO_E_NULL, PORTICO_E_INSTRUCTION, PORTICO_E_SHORT_BUFFER of a text that is cut.
portico_status portico_disassemble(const uint32_t *words,
                                   size_t count,
                                   char *text,
                                   size_t size);

// Loads instructions into a node, after a check: all of them exist, every loop has its end, and the last one stops.
//
// Errors: PORTICO_E_NULL, PORTICO_E_INSTRUCTION and PORTICO_E_PROGRAM with the first instruction that is wrong,
// PORTICO_E_EXHAUSTED, PORTICO_E_NO_SUCH_NODE, PORTICO_E_NOT_BUILT, or the fabric's.
portico_status portico_program_load(portico_fabric *fabric,
                                    uint32_t node,
                                    const uint32_t *words,
                                    size_t count,
                                    portico_program **program);

// Loads any words without a check, to test faulty programs on the hardware. A program that never stops keeps its micro-core and
// its event until the next reset.
//
// Errors: PORTICO_E_NULL, PORTICO_E_EXHAUSTED, PORTICO_E_NO_SUCH_NODE, PORTICO_E_NOT_BUILT, or the fabric's.
portico_status portico_program_load_unchecked(portico_fabric *fabric,
                                              uint32_t node,
                                              const uint32_t *words,
                                              size_t count,
                                              portico_program **program);

// Node of a program, and its first place in the program memory there.
//
// Errors: PORTICO_E_NULL.
portico_status portico_program_info(portico_fabric *fabric,
                                    portico_program *program,
                                    uint32_t *node,
                                    uint32_t *start);

// Releases the places of a program, which should not be running. The handle is stale then.
//
// Errors: PORTICO_E_NULL.
portico_status portico_program_unload(portico_fabric *fabric, portico_program *program);

// Runs a program of the segment's initiator on a segment, with `count` arguments in registers 2 and up. Complete when its end of
// transfer is acknowledged or, if it sends none, when it stops.
//
// Errors: PORTICO_E_NULL, PORTICO_E_WRONG_NODE, PORTICO_E_WRONG_KIND, PORTICO_E_OUT_OF_RANGE of the number of arguments, or of the
// operation as of portico_put().
portico_status portico_run(portico_fabric *fabric,
                           portico_program *program,
                           portico_segment *segment,
                           const uint32_t *arguments,
                           size_t count,
                           const portico_completion *completion);

// Makes steps without an operation.
//
// Errors: PORTICO_E_NULL.
portico_status portico_steps_new(portico_fabric *fabric, portico_steps **steps);

// Forgets steps that will be no list.
//
// Errors: PORTICO_E_NULL.
portico_status portico_steps_release(portico_fabric *fabric, portico_steps *steps);

// Writes a list of steps into the memories of their tiles. The handle of the steps is stale then, also after an error.
//
// Errors: PORTICO_E_NULL, PORTICO_E_NO_SUCH_NODE of operations of the host, PORTICO_E_OUT_OF_RANGE of more than 64 words of
// descriptors for one engine of a tile, PORTICO_E_EXHAUSTED, or the fabric's. Then nothing stays taken.
portico_status portico_list_new(portico_fabric *fabric,
                                portico_steps *steps,
                                portico_list **list);

// Starts a list, when an earlier start of it and all earlier commands of its tiles have ended.
//
// Errors: PORTICO_E_NULL, PORTICO_E_RELEASED, PORTICO_E_TIMEOUT or PORTICO_E_REFUSED of what is waited for, or the fabric's.
portico_status portico_list_start(portico_fabric *fabric,
                                  portico_list *list);

// Whether all operations of a list have ended. A list that is not started has ended.
//
// Errors: PORTICO_E_NULL, PORTICO_E_REFUSED of an engine's operation, or the fabric's.
portico_status portico_list_poll(portico_fabric *fabric, portico_list *list, bool *is_complete);

// Waits until all operations of a list have ended, for at most `timeout` cycles. After a time-out it may be waited for again.
//
// Errors: PORTICO_E_NULL, PORTICO_E_TIMEOUT, PORTICO_E_REFUSED in its place if an operation was refused, or the fabric's.
portico_status portico_list_wait(portico_fabric *fabric,
                                 portico_list *list,
                                 uint64_t timeout);

// Releases events, segments and memory of a list, when it is complete. After an error the handle stays, and the release may be
// repeated.
//
// Errors: PORTICO_E_NULL, PORTICO_E_TIMEOUT if the list does not end, PORTICO_E_REFUSED of its last start, or the fabric's.
portico_status portico_list_release(portico_fabric *fabric,
                                    portico_list *list);

// Makes a group of `count` tiles, in the order of their ranks.
//
// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of the shape, PORTICO_E_OUT_OF_RANGE, PORTICO_E_TREE, PORTICO_E_EXHAUSTED,
// PORTICO_E_NO_CONTEXT, or the fabric's: nothing stays taken.
portico_status portico_comm_new(portico_fabric *fabric,
                                const uint32_t *members,
                                size_t count,
                                const portico_shape *joined,
                                portico_comm **comm);

// What is known of a group.
//
// Errors: PORTICO_E_NULL.
portico_status portico_comm_info(portico_fabric *fabric,
                                 portico_comm *comm,
                                 portico_comm_facts *facts);

// The members of a group by rank, into an array with room for `count`, at least the size of the group.
//
// Errors: PORTICO_E_NULL, PORTICO_E_SHORT_BUFFER.
portico_status portico_comm_tiles(portico_fabric *fabric,
                                  portico_comm *comm,
                                  uint32_t *members,
                                  size_t count);

// The rank of a tile; PORTICO_NO_RANK if it is no member.
//
// Errors: PORTICO_E_NULL.
portico_status portico_comm_rank(portico_fabric *fabric,
                                 portico_comm *comm,
                                 uint32_t tile,
                                 uint32_t *own);

// Carries out later calls of a group in this way.
//
// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of the way.
portico_status portico_comm_force(portico_fabric *fabric, portico_comm *comm, portico_way way);

// How long a call of the engines may stand still at a member before it fails there, in cycles of the fabric; 0 for ever. Without
// engines nothing is set.
//
// Errors: PORTICO_E_NULL, PORTICO_E_SHORT_TIMEOUT below the least, or the fabric's.
portico_status portico_comm_timeout(portico_fabric *fabric,
                                    portico_comm *comm,
                                    uint32_t cycles);

// Recovers the communicator of the engines of a group, as portico_communicator_recover() does. Without engines nothing is done.
//
// Errors: as of portico_communicator_recover().
portico_status portico_comm_recover(portico_fabric *fabric,
                                    portico_comm *comm,
                                    uint64_t cycles);

// Releases a group. Its requests that were not released can only be released. After an error the handle stays.
//
// Errors: PORTICO_E_NULL, PORTICO_E_UNDER_WAY if a request is under way, or the fabric's.
portico_status portico_comm_release(portico_fabric *fabric,
                                    portico_comm *comm);

// Prepares a barrier: it ends after all members have begun it.
//
// Errors: PORTICO_E_NULL, PORTICO_E_RELEASED, PORTICO_E_NOT_BUILT and PORTICO_E_WRONG_WAY of a way that is forced,
// PORTICO_E_COMMUNICATOR_FAILED, PORTICO_E_EXHAUSTED, or the fabric's.
portico_status portico_barrier(portico_fabric *fabric,
                               portico_comm *comm,
                               portico_request **request);

// Prepares a broadcast of `words` words from the address of the root, a rank, to the addresses of all others.
//
// Errors: as of portico_barrier(); PORTICO_E_OUT_OF_RANGE of the root, of a number of addresses and of lengths,
// PORTICO_E_MISALIGNED, PORTICO_E_OUT_OF_MEMORY, PORTICO_E_DESCRIPTOR of too many words, PORTICO_E_UNALLOCATED of memory that
// portico_allocate() has not handed out.
portico_status portico_bcast(portico_fabric *fabric,
                             portico_comm *comm,
                             uint32_t root,
                             const portico_addresses *address,
                             uint32_t words,
                             portico_request **request);

// Prepares an allgather in place: a block of `words` words of every member goes to all members. That of rank r lies at the
// address of each member + 4 r `words`.
//
// Errors: as of portico_bcast().
portico_status portico_allgather(portico_fabric *fabric,
                                 portico_comm *comm,
                                 const portico_addresses *address,
                                 uint32_t words,
                                 portico_request **request);

// Prepares a fold of `words` words from the source addresses of all members into the address `result` of the root, a rank. That
// address is the root's source or apart from it.
//
// Errors: as of portico_bcast(); PORTICO_E_ARGUMENT of the fold, PORTICO_E_OVERLAP.
portico_status portico_reduce(portico_fabric *fabric,
                              portico_comm *comm,
                              uint32_t root,
                              const portico_addresses *source,
                              uint32_t result,
                              uint32_t words,
                              portico_fold fold,
                              portico_request **request);

// Prepares a fold of `words` words from the source addresses of all members into the result addresses of all members. A member's
// result address is its source or apart from it.
//
// Errors: as of portico_reduce().
portico_status portico_allreduce(portico_fabric *fabric,
                                 portico_comm *comm,
                                 const portico_addresses *source,
                                 const portico_addresses *result,
                                 uint32_t words,
                                 portico_fold fold,
                                 portico_request **request);

// Prepares a fold of as many blocks of `words` words as there are members, which leaves at each member the block of its rank:
// that of rank r lies at the source address of each member + 4 r `words`, and goes to the result address of member r.
//
// Errors: as of portico_reduce().
portico_status portico_reduce_scatter(portico_fabric *fabric,
                                      portico_comm *comm,
                                      const portico_addresses *source,
                                      const portico_addresses *result,
                                      uint32_t words,
                                      portico_fold fold,
                                      portico_request **request);

// Prepares a scatter: the block of `words` words for rank r lies at `source` + 4 r `words` of the root, a rank, and goes to the
// result address of member r.
//
// Errors: as of portico_bcast(); PORTICO_E_OVERLAP.
portico_status portico_scatter(portico_fabric *fabric,
                               portico_comm *comm,
                               uint32_t root,
                               uint32_t source,
                               const portico_addresses *result,
                               uint32_t words,
                               portico_request **request);

// Prepares a gather: the block of `words` words at the source address of rank r goes to `result` + 4 r `words` of the root, a
// rank.
//
// Errors: as of portico_scatter().
portico_status portico_gather(portico_fabric *fabric,
                              portico_comm *comm,
                              uint32_t root,
                              const portico_addresses *source,
                              uint32_t result,
                              uint32_t words,
                              portico_request **request);

// Prepares an alltoall: member r sends the block of `words` words at its source address + 4 s `words` to rank s, and gets the
// block from rank s at its result address + 4 s `words`.
//
// Errors: as of portico_scatter().
portico_status portico_alltoall(portico_fabric *fabric,
                                portico_comm *comm,
                                const portico_addresses *source,
                                const portico_addresses *result,
                                uint32_t words,
                                portico_request **request);

// Prepares an alltoall of blocks of different lengths: `words`, an array of size times size elements, has at r times size + s the
// words of the block from rank r to rank s. At a sender the blocks lie behind each other in the order of their receivers, at a
// receiver in the order of their senders.
//
// Errors: as of portico_scatter(); PORTICO_E_OUT_OF_RANGE of `count`, the elements of `words`.
portico_status portico_alltoallv(portico_fabric *fabric,
                                 portico_comm *comm,
                                 const portico_addresses *source,
                                 const portico_addresses *result,
                                 const uint32_t *words,
                                 size_t count,
                                 portico_request **request);

// How a request is carried out, and the cycles that the cost model expects for it.
//
// Errors: PORTICO_E_NULL.
portico_status portico_request_info(portico_fabric *fabric,
                                    portico_request *request,
                                    portico_way *chosen,
                                    uint64_t *estimate);

// Starts a request at all members, when an earlier start of it is complete. If the host carries it out, it is complete when this
// returns.
//
// Errors: PORTICO_E_NULL, PORTICO_E_RELEASED, PORTICO_E_TIMEOUT, PORTICO_E_REFUSED, PORTICO_E_COMMUNICATOR_FAILED,
// PORTICO_E_EXHAUSTED, or the fabric's.
portico_status portico_request_start(portico_fabric *fabric,
                                     portico_request *request);

// Whether a request has ended at all members. One that is not started has.
//
// Errors: PORTICO_E_NULL, PORTICO_E_COMMUNICATOR_FAILED, or the fabric's.
portico_status portico_request_poll(portico_fabric *fabric,
                                    portico_request *request,
                                    bool *is_complete);

// Waits until a request has ended at all members, for at most `timeout` cycles. After a time-out it may be waited for again.
//
// Errors: PORTICO_E_NULL, PORTICO_E_TIMEOUT, PORTICO_E_REFUSED, PORTICO_E_COMMUNICATOR_FAILED, or the fabric's.
portico_status portico_request_wait(portico_fabric *fabric,
                                    portico_request *request,
                                    uint64_t timeout);

// Releases what a request has taken, when it is complete. After an error the handle stays, and the release may be repeated.
//
// Errors: PORTICO_E_NULL, or as of portico_request_wait().
portico_status portico_request_release(portico_fabric *fabric,
                                       portico_request *request);

// Starts a request, waits for it, for at most `timeout` cycles, and releases it: the blocking call of MPI. The handle is stale
// then, also after an error.
//
// Errors: as of portico_request_start() and portico_request_wait().
portico_status portico_request_run(portico_fabric *fabric,
                                   portico_request *request,
                                   uint64_t timeout);

// Makes a communicator of `count` tiles, in the order of their ranks.
//
// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of the shape, PORTICO_E_OUT_OF_RANGE, PORTICO_E_TREE, PORTICO_E_NOT_BUILT where a
// tile has no message-passing engine, PORTICO_E_NO_CONTEXT, PORTICO_E_TIMEOUT if no context becomes idle, or the fabric's.
portico_status portico_communicator_new(portico_fabric *fabric,
                                        const uint32_t *members,
                                        size_t count,
                                        const portico_shape *joined,
                                        portico_communicator **communicator);

// Makes a communicator of all tiles. The rank of a tile is its number.
//
// Errors: as of portico_communicator_new().
portico_status portico_communicator_world(portico_fabric *fabric,
                                          const portico_shape *joined,
                                          portico_communicator **communicator);

// Makes another communicator with the same members, ranks and shape, and a context of its own.
//
// Errors: as of portico_communicator_new().
portico_status portico_communicator_dup(portico_fabric *fabric,
                                        portico_communicator *communicator,
                                        portico_communicator **copy);

// Makes a communicator of each set of members with the same color. Its ranks are in the order of the keys, and those of the same
// key in the order of their ranks here. `colors`, `keys` and `parts` have an element for each rank. `parts` gets the communicator
// of each; members of one have the same handle, to be freed once. A color PORTICO_NO_RANK is in none, and gets NULL.
//
// Errors: as of portico_communicator_new(), and PORTICO_E_OUT_OF_RANGE of `count`: none is made.
portico_status portico_communicator_split(portico_fabric *fabric,
                                          portico_communicator *communicator,
                                          const portico_shape *joined,
                                          const uint32_t *colors,
                                          const uint32_t *keys,
                                          size_t count,
                                          portico_communicator **parts);

// What is known of a communicator.
//
// Errors: PORTICO_E_NULL.
portico_status portico_communicator_info(portico_fabric *fabric,
                                         portico_communicator *communicator,
                                         portico_communicator_facts *facts);

// The members of a communicator by rank, into an array with room for `count`, at least its size.
//
// Errors: PORTICO_E_NULL, PORTICO_E_SHORT_BUFFER.
portico_status portico_communicator_tiles(portico_fabric *fabric,
                                          portico_communicator *communicator,
                                          uint32_t *members,
                                          size_t count);

// The rank of a tile; PORTICO_NO_RANK if it is no member.
//
// Errors: PORTICO_E_NULL.
portico_status portico_communicator_rank(portico_fabric *fabric,
                                         portico_communicator *communicator,
                                         uint32_t tile,
                                         uint32_t *own);

// How long a call may stand still at a member before it fails there, in cycles of the fabric; 0 for ever.
//
// Errors: PORTICO_E_NULL, PORTICO_E_SHORT_TIMEOUT below the least, or the fabric's.
portico_status portico_communicator_timeout(portico_fabric *fabric,
                                            portico_communicator *communicator,
                                            uint32_t cycles);

// Makes a communicator usable again after a call of it has failed, or does not end, within so many cycles. Its calls under way end
// with PORTICO_E_COMMUNICATOR_FAILED; what they have written is undefined.
//
// Errors: PORTICO_E_NULL, PORTICO_E_TIMEOUT: call again. PORTICO_E_EXHAUSTED of segment handles or events of a member, or the
// fabric's.
portico_status portico_communicator_recover(portico_fabric *fabric,
                                            portico_communicator *communicator,
                                            uint64_t cycles);

// Makes a context of a tile usable again, and of all tiles that the lists of their engines join with it, within so many cycles. For
// calls that this program did not start: those of an earlier program, or of a processor beside a tile.
//
// Errors: PORTICO_E_NULL, PORTICO_E_NO_SUCH_NODE, PORTICO_E_NOT_BUILT without an engine, PORTICO_E_OUT_OF_RANGE of the context,
// PORTICO_E_TIMEOUT: call again. Or the fabric's.
portico_status portico_recover_context(portico_fabric *fabric,
                                       uint32_t tile,
                                       uint32_t context,
                                       uint64_t cycles);

// Gives the context of a communicator back. Its calls under way go on.
//
// Errors: PORTICO_E_NULL.
portico_status portico_communicator_free(portico_fabric *fabric,
                                         portico_communicator *communicator);

// Starts a call that ends at a member only after all members have begun it. Four calls of a communicator can be under way; a
// fifth first waits for the oldest.
//
// Errors: PORTICO_E_NULL, PORTICO_E_COMMUNICATOR_FAILED if an earlier call has failed, PORTICO_E_TIMEOUT, PORTICO_E_EXHAUSTED of
// events, or the transport's.
portico_status portico_communicator_barrier(portico_fabric *fabric,
                                            portico_communicator *communicator,
                                            portico_call **started);

// Starts a copy of `words` words from the address of the root, a rank, to the addresses of all others.
//
// Errors: as of portico_communicator_barrier(); PORTICO_E_OUT_OF_RANGE of the root and of a number of addresses,
// PORTICO_E_MISALIGNED, PORTICO_E_OUT_OF_MEMORY, PORTICO_E_DESCRIPTOR of too many words.
portico_status portico_communicator_broadcast(portico_fabric *fabric,
                                              portico_communicator *communicator,
                                              uint32_t root,
                                              const portico_addresses *address,
                                              uint32_t words,
                                              portico_call **started);

// Starts a fold of `words` words from the source addresses of all members into the address `result` of the root, a rank.
//
// Errors: as of portico_communicator_broadcast(); PORTICO_E_ARGUMENT of the fold, PORTICO_E_DESCRIPTOR if result and source of the
// root overlap without being the same.
portico_status portico_communicator_reduce(portico_fabric *fabric,
                                           portico_communicator *communicator,
                                           uint32_t root,
                                           const portico_addresses *source,
                                           uint32_t result,
                                           uint32_t words,
                                           portico_fold fold,
                                           portico_call **started);

// Starts a fold of `words` words from the source addresses of all members into the result addresses of all members.
//
// Errors: as of portico_communicator_reduce().
portico_status portico_communicator_allreduce(portico_fabric *fabric,
                                              portico_communicator *communicator,
                                              const portico_addresses *source,
                                              const portico_addresses *result,
                                              uint32_t words,
                                              portico_fold fold,
                                              portico_call **started);

// Starts a fold of as many blocks of `words` words as there are members, which leaves at each member the block of its rank.
//
// Errors: as of portico_communicator_reduce(), and PORTICO_E_OVERLAP of source and result of a member.
portico_status portico_communicator_reduce_scatter(portico_fabric *fabric,
                                                   portico_communicator *communicator,
                                                   const portico_addresses *source,
                                                   const portico_addresses *result,
                                                   uint32_t words,
                                                   portico_fold fold,
                                                   portico_call **started);

// Starts a copy of a block of `words` words of every member to all members: that of rank r lies at the address of each member
// + 4 r `words`.
//
// Errors: as of portico_communicator_broadcast().
portico_status portico_communicator_allgather(portico_fabric *fabric,
                                              portico_communicator *communicator,
                                              const portico_addresses *address,
                                              uint32_t words,
                                              portico_call **started);

// Whether a call has ended at all members.
//
// Errors: PORTICO_E_NULL, PORTICO_E_COMMUNICATOR_FAILED if it, or one before it, has failed; or the fabric's.
portico_status portico_call_poll(portico_fabric *fabric,
                                 portico_call *started,
                                 bool *is_complete);

// Waits until a call has ended at all members, for at most `timeout` cycles. After a time-out it may be waited for again.
//
// Errors: PORTICO_E_TIMEOUT, or as of portico_call_poll().
portico_status portico_call_wait(portico_fabric *fabric,
                                 portico_call *started,
                                 uint64_t timeout);

// Releases a call. If it has not ended, it goes on.
//
// Errors: PORTICO_E_NULL.
portico_status portico_call_release(portico_fabric *fabric, portico_call *started);

// Makes a group of `count` tiles, in the order of their ranks.
//
// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_RANGE, PORTICO_E_TREE of tiles that are no group, PORTICO_E_EXHAUSTED of segment
// handles, or the fabric's.
portico_status portico_peers_new(portico_fabric *fabric,
                                 const uint32_t *members,
                                 size_t count,
                                 portico_peers **peers);

// The members of a group by rank, into an array with room for `count`. `size` gets how many they are.
//
// Errors: PORTICO_E_NULL, PORTICO_E_SHORT_BUFFER.
portico_status portico_peers_tiles(portico_fabric *fabric,
                                   portico_peers *peers,
                                   uint32_t *members,
                                   size_t count,
                                   uint32_t *size);

// Releases a group. Its exchanges cannot be started any more. After an error the handle stays.
//
// Errors: PORTICO_E_NULL, PORTICO_E_UNDER_WAY, or the fabric's.
portico_status portico_peers_release(portico_fabric *fabric, portico_peers *peers);

// Prepares an exchange of `count` blocks, which each member sends in their order.
//
// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_RANGE of ranks, PORTICO_E_MISALIGNED, PORTICO_E_OUT_OF_MEMORY, PORTICO_E_OVERLAP,
// PORTICO_E_UNALLOCATED, PORTICO_E_RELEASED, PORTICO_E_EXHAUSTED, or the fabric's.
portico_status portico_peers_exchange(portico_fabric *fabric,
                                      portico_peers *peers,
                                      const portico_block *blocks,
                                      size_t count,
                                      portico_exchange **exchange);

// Prepares an exchange of one block from every member to every member, in an order. Member r reads the block for rank s at its
// source address + s `bytes`, and gets the block from rank s at its result address + s `bytes`.
//
// Errors: as of portico_peers_exchange(), PORTICO_E_ARGUMENT of the order, and PORTICO_E_OUT_OF_RANGE of a number of addresses.
portico_status portico_peers_alltoall(portico_fabric *fabric,
                                      portico_peers *peers,
                                      portico_order order,
                                      const portico_addresses *source,
                                      const portico_addresses *result,
                                      uint32_t bytes,
                                      portico_exchange **exchange);

// Prepares an alltoall of blocks of different lengths: `bytes`, an array of size times size elements, has at r times size + s the
// length of the block from rank r to rank s.
//
// Errors: as of portico_peers_alltoall(); PORTICO_E_OUT_OF_RANGE of `count`, the elements of `bytes`.
portico_status portico_peers_alltoallv(portico_fabric *fabric,
                                       portico_peers *peers,
                                       const portico_addresses *source,
                                       const portico_addresses *result,
                                       const uint32_t *bytes,
                                       size_t count,
                                       portico_exchange **exchange);

// Prepares an exchange in which the root, a rank, sends a block of `bytes` bytes to every member: that of rank r lies at
// `source` + r `bytes` of the root.
//
// Errors: as of portico_peers_alltoall().
portico_status portico_peers_scatter(portico_fabric *fabric,
                                     portico_peers *peers,
                                     uint32_t root,
                                     uint32_t source,
                                     const portico_addresses *result,
                                     uint32_t bytes,
                                     portico_exchange **exchange);

// Prepares an exchange in which every member sends a block of `bytes` bytes to the root, a rank: that of rank r goes to
// `result` + r `bytes` of the root.
//
// Errors: as of portico_peers_alltoall().
portico_status portico_peers_gather(portico_fabric *fabric,
                                    portico_peers *peers,
                                    uint32_t root,
                                    const portico_addresses *source,
                                    uint32_t result,
                                    uint32_t bytes,
                                    portico_exchange **exchange);

// Prepares an exchange in which every member sends its block of `bytes` bytes to every member: that of rank r goes to the result
// address of each + r `bytes`.
//
// Errors: as of portico_peers_alltoall().
portico_status portico_peers_allgather(portico_fabric *fabric,
                                       portico_peers *peers,
                                       const portico_addresses *source,
                                       const portico_addresses *result,
                                       uint32_t bytes,
                                       portico_exchange **exchange);

// Prepares an exchange in which `bytes` bytes at the address of the root, a rank, go to the addresses of all others.
//
// Errors: as of portico_peers_alltoall().
portico_status portico_peers_broadcast(portico_fabric *fabric,
                                       portico_peers *peers,
                                       uint32_t root,
                                       const portico_addresses *address,
                                       uint32_t bytes,
                                       portico_exchange **exchange);

// Starts all members of an exchange, when an earlier start of it and all earlier commands of the members have ended.
//
// Errors: PORTICO_E_NULL, PORTICO_E_RELEASED, PORTICO_E_TIMEOUT or PORTICO_E_REFUSED of what is waited for, or the fabric's.
portico_status portico_exchange_start(portico_fabric *fabric,
                                      portico_exchange *exchange);

// Whether all members have received all blocks. An exchange that is not started is complete.
//
// Errors: PORTICO_E_NULL, or the fabric's.
portico_status portico_exchange_poll(portico_fabric *fabric,
                                     portico_exchange *exchange,
                                     bool *is_complete);

// Waits until an exchange is complete, for at most `timeout` cycles. After a time-out it may be waited for again.
//
// Errors: PORTICO_E_NULL, PORTICO_E_TIMEOUT, PORTICO_E_REFUSED in its place if a put was refused, or the fabric's.
portico_status portico_exchange_wait(portico_fabric *fabric,
                                     portico_exchange *exchange,
                                     uint64_t timeout);

// Releases events and memory of an exchange, when it is complete. After an error the handle stays, and the release may be
// repeated.
//
// Errors: PORTICO_E_NULL, or as of portico_exchange_wait().
portico_status portico_exchange_release(portico_fabric *fabric,
                                        portico_exchange *exchange);

// Reads a register of a node, at the byte address that the header of `portico registers --form c` gives it. The library owns the
// registers of what it has handed out.
//
// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT if there is no register at the address, PORTICO_E_MISALIGNED,
// PORTICO_E_OUT_OF_RANGE, PORTICO_E_NOT_BUILT, PORTICO_E_NO_SUCH_NODE, PORTICO_E_TIMEOUT, PORTICO_E_TRANSPORT.
portico_status portico_register_peek(portico_fabric *fabric,
                                     uint32_t node,
                                     uint32_t address,
                                     uint32_t *value);

// Writes a register of a node, and `count` - 1 registers that follow it in its block, with one put. The library does not notice
// it.
//
// Errors: as of portico_register_peek(), and PORTICO_E_OUT_OF_RANGE if fewer follow.
portico_status portico_register_poke(portico_fabric *fabric,
                                     uint32_t node,
                                     uint32_t address,
                                     const uint32_t *values,
                                     size_t count);

// The monitor's counters of a node.
//
// Errors: PORTICO_E_NULL, PORTICO_E_NO_SUCH_NODE, PORTICO_E_TIMEOUT, PORTICO_E_TRANSPORT.
portico_status portico_count(portico_fabric *fabric, uint32_t node, portico_counters *counters);

// Sends traffic from a tile's source. Complete when the last tail is on its way.
//
// Errors: PORTICO_E_NULL, PORTICO_E_NOT_BUILT without a source/sink core, PORTICO_E_NO_SUCH_NODE, PORTICO_E_DESCRIPTOR of lengths
// and rates, PORTICO_E_OUT_OF_RANGE, or of the operation as of portico_put().
portico_status portico_send_traffic(portico_fabric *fabric,
                                    uint32_t tile,
                                    const portico_traffic *traffic,
                                    const portico_completion *completion);

// Reads the counts of a tile's source and sink.
//
// Errors: PORTICO_E_NULL, PORTICO_E_NOT_BUILT, PORTICO_E_NO_SUCH_NODE, or the fabric's.
portico_status portico_measure(portico_fabric *fabric, uint32_t tile, portico_measured *measured);

// Sets the counts of a tile's source and sink to 0.
//
// Errors: PORTICO_E_NOT_BUILT, PORTICO_E_NO_SUCH_NODE, or the fabric's.
portico_status portico_clear_measured(portico_fabric *fabric, uint32_t tile);

// Moves rows of a tile's memory onto the stream that leaves it. Complete when the accelerator has taken the last word.
//
// Errors: PORTICO_E_NULL, PORTICO_E_NOT_BUILT, PORTICO_E_DESCRIPTOR of lengths, PORTICO_E_MISALIGNED, PORTICO_E_OUT_OF_MEMORY, or of
// the operation as of portico_put().
portico_status portico_send(portico_fabric *fabric,
                            uint32_t tile,
                            const portico_send_rows *rows,
                            const portico_completion *completion);

// Moves the stream that comes to a tile into its memory, from byte `address` on, until a word with `tlast` or `length` bytes.
// Complete when the last word is written.
//
// Errors: as of portico_send().
portico_status portico_receive(portico_fabric *fabric,
                               uint32_t tile,
                               uint32_t address,
                               uint32_t length,
                               const portico_completion *completion);

// State of the streams of a tile.
//
// Errors: PORTICO_E_NULL, PORTICO_E_NOT_BUILT, PORTICO_E_NO_SUCH_NODE, or the fabric's.
portico_status portico_streams(portico_fabric *fabric, uint32_t tile, portico_streams_state *found);

// Sets the tiles of the ranks: `tiles` has one for each of `count` ranks. It is to be called before the first
// portico_ptl_ni_init().
//
// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_IGNORED if another map is set, PORTICO_E_PTL_FAIL.
portico_status portico_ptl_set_map(portico_fabric *fabric,
                                   const uint32_t *tiles,
                                   size_t count);

// The tile of each rank, into an array with room for `size`. `count` gets how many ranks there are, 0 if no map is set.
//
// Errors: PORTICO_E_NULL, PORTICO_E_SHORT_BUFFER.
portico_status portico_ptl_get_map(portico_fabric *fabric,
                                   uint32_t *tiles,
                                   size_t size,
                                   size_t *count);

// PtlNIInit: an interface of a tile that has a rank. An interface that is open is the same one again, and is to be closed as
// often.
//
// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT, PORTICO_E_PTL_NO_INIT without a rank, PORTICO_E_PTL_FAIL.
portico_status portico_ptl_ni_init(portico_fabric *fabric,
                                   uint32_t tile,
                                   portico_ptl_interface interface,
                                   portico_ptl_ni **ni);

// PtlNIFini. The last one of an interface ends its entries, indices, memory descriptors, counters and event queues.
//
// Errors: PORTICO_E_NULL, PORTICO_E_PTL_FAIL of the fabric, or if messages in progress do not end in time: the handle stays then.
portico_status portico_ptl_ni_fini(portico_fabric *fabric,
                                   portico_ptl_ni *ni);

// Tile and interface of an interface, and the rank and the user of its tile: PtlGetPhysId, PtlGetId, PtlGetUid.
//
// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID if it is closed.
portico_status portico_ptl_ni_info(portico_fabric *fabric,
                                   portico_ptl_ni *ni,
                                   uint32_t *tile,
                                   portico_ptl_interface *interface,
                                   uint32_t *rank,
                                   uint32_t *uid);

// Sets the user of both interfaces of the tile.
//
// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID beyond 4,094, PORTICO_E_PTL_FAIL.
portico_status portico_ptl_set_uid(portico_fabric *fabric, portico_ptl_ni *ni, uint32_t uid);

// PtlNIStatus: a status register, which wraps.
//
// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT, PORTICO_E_PTL_ARG_INVALID if it is closed, PORTICO_E_PTL_FAIL.
portico_status portico_ptl_ni_status(portico_fabric *fabric,
                                     portico_ptl_ni *ni,
                                     portico_ptl_status_register register_,
                                     uint32_t *value);

// The limits of an interface.
//
// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID if it is closed.
portico_status portico_ptl_ni_limits(portico_fabric *fabric,
                                     portico_ptl_ni *ni,
                                     portico_ptl_limits *limits);

// PtlPTAlloc: a portal index, the one of `wanted` or any with PORTICO_PTL_ANY. Its events go to `eq`, which may be NULL.
// `options` are of PORTICO_PTL_PT_*.
//
// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of options, PORTICO_E_PTL_PT_FULL, PORTICO_E_PTL_PT_IN_USE,
// PORTICO_E_PTL_PT_EQ_NEEDED, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
portico_status portico_ptl_pt_alloc(portico_fabric *fabric,
                                    portico_ptl_ni *ni,
                                    portico_ptl_options options,
                                    portico_ptl_eq *eq,
                                    uint32_t wanted,
                                    uint32_t *pt_index);

// PtlPTFree.
//
// Errors: PORTICO_E_NULL, PORTICO_E_PTL_PT_IN_USE with entries, headers or messages in progress, PORTICO_E_PTL_ARG_INVALID,
// PORTICO_E_PTL_FAIL.
portico_status portico_ptl_pt_free(portico_fabric *fabric,
                                   portico_ptl_ni *ni,
                                   uint32_t pt_index);

// PtlPTEnable.
//
// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
portico_status portico_ptl_pt_enable(portico_fabric *fabric, portico_ptl_ni *ni, uint32_t pt_index);

// PtlPTDisable: the index refuses messages. Returns when those in progress are complete.
//
// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
portico_status portico_ptl_pt_disable(portico_fabric *fabric,
                                      portico_ptl_ni *ni,
                                      uint32_t pt_index);

// PtlCTAlloc: a counter, whose counts are 0.
//
// Errors: PORTICO_E_NULL, PORTICO_E_PTL_NO_SPACE, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
portico_status portico_ptl_ct_alloc(portico_fabric *fabric,
                                    portico_ptl_ni *ni,
                                    portico_ptl_ct **ct);

// PtlCTFree.
//
// Errors: PORTICO_E_NULL, PORTICO_E_PTL_IN_USE by a memory descriptor, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL. The handle
// stays then, unless it was of a counter that is gone.
portico_status portico_ptl_ct_free(portico_fabric *fabric,
                                   portico_ptl_ni *ni,
                                   portico_ptl_ct *ct);

// PtlCTGet: the counts of a counter.
//
// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
portico_status portico_ptl_ct_get(portico_fabric *fabric,
                                  portico_ptl_ni *ni,
                                  portico_ptl_ct *ct,
                                  portico_ptl_ct_event *event);

// PtlCTWait: until the successes have reached `test`, or there is a failure; at most `timeout` cycles.
//
// Errors: PORTICO_E_NULL, PORTICO_E_PTL_FAIL of the time or the fabric, PORTICO_E_PTL_ARG_INVALID.
portico_status portico_ptl_ct_wait(portico_fabric *fabric,
                                   portico_ptl_ni *ni,
                                   portico_ptl_ct *ct,
                                   uint64_t test,
                                   uint64_t timeout,
                                   portico_ptl_ct_event *event);

// PtlCTPoll: as portico_ptl_ct_wait() of `count` counters, each with its test. `which` gets the place of the one that ended it.
//
// Errors: as of portico_ptl_ct_wait(), and PORTICO_E_PTL_CT_NONE_REACHED after `timeout` cycles.
portico_status portico_ptl_ct_poll(portico_fabric *fabric,
                                   portico_ptl_ni *ni,
                                   portico_ptl_ct *const *cts,
                                   const uint64_t *tests,
                                   size_t count,
                                   uint64_t timeout,
                                   portico_ptl_ct_event *event,
                                   size_t *which);

// PtlCTSet: sets both counts.
//
// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
portico_status portico_ptl_ct_set(portico_fabric *fabric,
                                  portico_ptl_ni *ni,
                                  portico_ptl_ct *ct,
                                  const portico_ptl_ct_event *event);

// PtlCTInc: adds to one of both counts.
//
// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
portico_status portico_ptl_ct_inc(portico_fabric *fabric,
                                  portico_ptl_ni *ni,
                                  portico_ptl_ct *ct,
                                  const portico_ptl_ct_event *event);

// PtlEQAlloc: an event queue with at least `count` places.
//
// Errors: PORTICO_E_NULL, PORTICO_E_PTL_NO_SPACE, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
portico_status portico_ptl_eq_alloc(portico_fabric *fabric,
                                    portico_ptl_ni *ni,
                                    uint64_t count,
                                    portico_ptl_eq **eq);

// PtlEQFree.
//
// Errors: PORTICO_E_NULL, PORTICO_E_PTL_IN_USE, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL. The handle stays then, unless it
// was of a queue that is gone.
portico_status portico_ptl_eq_free(portico_fabric *fabric,
                                   portico_ptl_ni *ni,
                                   portico_ptl_eq *eq);

// PtlEQGet: takes the oldest event.
//
// Errors: PORTICO_E_NULL, PORTICO_E_PTL_EQ_EMPTY, PORTICO_E_PTL_EQ_DROPPED if events before this one were lost: it is taken and
// written; PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
portico_status portico_ptl_eq_get(portico_fabric *fabric,
                                  portico_ptl_ni *ni,
                                  portico_ptl_eq *eq,
                                  portico_ptl_event *event);

// PtlEQWait: takes the oldest event, and waits for it for at most `timeout` cycles.
//
// Errors: as of portico_ptl_eq_get(), with PORTICO_E_PTL_FAIL of the time in place of PORTICO_E_PTL_EQ_EMPTY.
portico_status portico_ptl_eq_wait(portico_fabric *fabric,
                                   portico_ptl_ni *ni,
                                   portico_ptl_eq *eq,
                                   uint64_t timeout,
                                   portico_ptl_event *event);

// PtlEQPoll: takes the oldest event of the first of `count` queues that has one, and waits for at most `timeout` cycles. `which`
// gets the place of the queue; of PORTICO_E_PTL_EQ_DROPPED nothing is written there.
//
// Errors: as of portico_ptl_eq_get().
portico_status portico_ptl_eq_poll(portico_fabric *fabric,
                                   portico_ptl_ni *ni,
                                   portico_ptl_eq *const *eqs,
                                   size_t count,
                                   uint64_t timeout,
                                   portico_ptl_event *event,
                                   size_t *which);

// PtlMDBind.
//
// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of options, PORTICO_E_PTL_NO_SPACE, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
portico_status portico_ptl_md_bind(portico_fabric *fabric,
                                   portico_ptl_ni *ni,
                                   const portico_ptl_md_piece *piece,
                                   portico_ptl_md **md);

// PtlMDRelease.
//
// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL. The handle stays then, unless it was of one that is gone.
portico_status portico_ptl_md_release(portico_fabric *fabric,
                                      portico_ptl_ni *ni,
                                      portico_ptl_md *md);

// PtlMEAppend: an entry at the end of a list of a portal index, of a matching interface. In Priority it first consumes the headers of
// messages that came before it and that it matches: with USE_ONCE the oldest, else all. An entry with USE_ONCE that has consumed one
// is gone from its list when this function returns.
//
// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of options and list, PORTICO_E_PTL_NO_SPACE, PORTICO_E_PTL_ARG_INVALID,
// PORTICO_E_PTL_FAIL.
portico_status portico_ptl_me_append(portico_fabric *fabric,
                                     portico_ptl_ni *ni,
                                     uint32_t pt_index,
                                     const portico_ptl_entry *entry,
                                     portico_ptl_me **me);

// PtlMESearch: finds the headers of messages that came to Overflow, as portico_ptl_me_append() to Priority would, and appends nothing.
// With USE_ONCE it finds the oldest header that matches, else each. If none does, one PORTICO_PTL_EVENT_SEARCH tells
// PORTICO_PTL_NI_FAIL_NO_MATCH. Of `entry`, `start` and `list` say nothing.
//
// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of options and `operation`, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
portico_status portico_ptl_me_search(portico_fabric *fabric,
                                     portico_ptl_ni *ni,
                                     uint32_t pt_index,
                                     const portico_ptl_entry *entry,
                                     portico_ptl_search_op operation);

// PtlMEUnlink.
//
// Errors: PORTICO_E_NULL, PORTICO_E_PTL_IN_USE with messages in progress or headers left, PORTICO_E_PTL_ARG_INVALID,
// PORTICO_E_PTL_FAIL. The handle stays then, unless it was of an entry that has left its list.
portico_status portico_ptl_me_unlink(portico_fabric *fabric,
                                     portico_ptl_ni *ni,
                                     portico_ptl_me *me);

// PtlLEAppend: an entry at the end of a list of a portal index, of a non-matching interface. It consumes headers as
// portico_ptl_me_append() does; every header of its index matches.
//
// Errors: as of portico_ptl_me_append().
portico_status portico_ptl_le_append(portico_fabric *fabric,
                                     portico_ptl_ni *ni,
                                     uint32_t pt_index,
                                     const portico_ptl_entry *entry,
                                     portico_ptl_le **le);

// PtlLESearch: as portico_ptl_me_search(), of a non-matching interface.
//
// Errors: as of portico_ptl_me_search().
portico_status portico_ptl_le_search(portico_fabric *fabric,
                                     portico_ptl_ni *ni,
                                     uint32_t pt_index,
                                     const portico_ptl_entry *entry,
                                     portico_ptl_search_op operation);

// PtlLEUnlink.
//
// Errors: as of portico_ptl_me_unlink().
portico_status portico_ptl_le_unlink(portico_fabric *fabric,
                                     portico_ptl_ni *ni,
                                     portico_ptl_le *le);

// PtlPut.
//
// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of `ack`, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
portico_status portico_ptl_put(portico_fabric *fabric,
                               portico_ptl_ni *ni,
                               const portico_ptl_message *message);

// PtlGet.
//
// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
portico_status portico_ptl_get(portico_fabric *fabric,
                               portico_ptl_ni *ni,
                               const portico_ptl_message *message);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PORTICO_H */
