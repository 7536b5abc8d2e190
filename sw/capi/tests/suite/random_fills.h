
/* A fabric that stays open, so that most handles belong to it. */
static portico_fabric *main_fabric;

static portico_fabric *some_fabric(void) { return below(8) == 0 ? any_fabric() : main_fabric; }

/* Arrays and structures that functions read. */
/* As numbers of 64 bits it has room for 40. */
static union {
    uint32_t words[80];
    uint64_t wide[40];
} arrays;
static portico_pair pairs[40];

static const uint32_t *array(void)
{
    for (int at = 0; at < 80; at++) arrays.words[at] = below(4) == 0 ? number() : (uint32_t)at % 4;
    return arrays.words;
}

/* Tiles of a group, which are seldom wrong. */
static const uint32_t *members(void)
{
    const uint32_t first = below(4);
    for (uint32_t at = 0; at < 80; at++) arrays.words[at] = below(64) == 0 ? number() : (first + at) % 4;
    return arrays.words;
}

static const char *text_of_config(void)
{
    static const char *const texts[] = {"cols = 2\nrows = 2\nmpe = 2\nprobe = true\nstreams = true\nportals = 4",
                                        "cols = 2\nrows = 1\nwidth = 64\nmemories = 1", "cols = 99", "rows"};
    return texts[below(4)];
}

static const char *text_of_program(void)
{
    static const char *const texts[] = {"run r2, close, last, stop", "shape r4, r4\nrun r2, close, last, stop", "fly", ""};
    return texts[below(4)];
}

#define FILL(name)                                                   \
    static const portico_##name *fill_##name(void)                   \
    {                                                                \
        static portico_##name filled;                                \
        uint32_t numbers[sizeof filled / sizeof(uint32_t)];          \
        for (size_t at = 0; at < sizeof numbers / sizeof *numbers; at++) numbers[at] = small(); \
        memcpy(&filled, numbers, sizeof numbers);                    \
        return &filled;                                              \
    }

/* Structures of numbers alone. */
FILL(shaper)
FILL(region)
FILL(reservation)
FILL(geometry)

/* The reference model sends each packet. */
static const portico_traffic *fill_traffic(void)
{
    static portico_traffic filled;
    filled.target = below(8) == 0 ? PORTICO_ANY_TILE : below(5);
    filled.words = small();
    filled.packets = below(100);
    filled.rate = number();
    filled.seed = random32();
    return &filled;
}

static const portico_atomic_command *fill_atomic_command(void)
{
    static portico_atomic_command filled;
    filled.kind = below(8);
    filled.bytes = 4 << below(2);
    filled.operand = wide();
    filled.condition = number();
    return &filled;
}

FILL(ptl_ct_event)

static const portico_ptl_md_piece *fill_ptl_md_piece(void)
{
    static portico_ptl_md_piece filled;
    filled.start = number();
    filled.length = number();
    filled.options = below(4) == 0 ? below(512) : 0;
    filled.eq = below(2) ? any_ptl_eq() : NULL;
    filled.ct = below(2) ? any_ptl_ct() : NULL;
    return &filled;
}

static const portico_ptl_entry *fill_ptl_entry(void)
{
    static portico_ptl_entry filled;
    filled.start = number();
    filled.length = number();
    filled.match_bits = below(4);
    filled.ignore_bits = below(2) ? UINT64_MAX : 0;
    filled.min_free = below(8) == 0 ? number() : 0;
    filled.ct = below(4) == 0 ? any_ptl_ct() : NULL;
    filled.options = 0x30 | (below(2) ? random32() & 0xffff : 0);
    filled.uid = below(4) ? PORTICO_PTL_ANY : number();
    filled.match_id = below(4) ? PORTICO_PTL_ANY : below(5);
    filled.list = below(16) == 0 ? 2 : below(2);
    filled.user_ptr = random32();
    return &filled;
}

static const portico_ptl_message *fill_ptl_message(void)
{
    static portico_ptl_message filled;
    filled.md = any_ptl_md();
    filled.local_offset = below(4) == 0 ? number() : 0;
    filled.length = below(4) == 0 ? number() : below(64);
    filled.match_bits = below(4);
    filled.remote_offset = below(8) == 0 ? number() : 0;
    filled.hdr_data = random32();
    filled.target = below(5);
    filled.pt_index = below(4);
    filled.ack = below(5);
    filled.user_ptr = random32();
    return &filled;
}

static portico_ptl_ct *const *some_ptl_cts(void)
{
    static portico_ptl_ct *cts[40];
    for (int at = 0; at < 40; at++) cts[at] = any_ptl_ct();
    return cts;
}

static portico_ptl_eq *const *some_ptl_eqs(void)
{
    static portico_ptl_eq *eqs[40];
    for (int at = 0; at < 40; at++) eqs[at] = any_ptl_eq();
    return eqs;
}

static const portico_block *fill_block(void)
{
    static portico_block blocks[40];
    for (int at = 0; at < 40; at++) {
        blocks[at].from = below(4);
        blocks[at].to = below(4);
        blocks[at].source = 64 * below(4);
        blocks[at].result = 1024 + 64 * (uint32_t)at;
        blocks[at].bytes = 4 * below(16);
    }
    return blocks;
}

static const portico_publication *fill_publication(void)
{
    static portico_publication filled;
    filled.base = below(4) * 256;
    filled.bytes = below(8) == 0 ? number() : 256;
    filled.stream = below(4) == 0;
    filled.row = 8 * below(3);
    filled.stride = 8 * below(3);
    filled.event = below(4) == 0 ? any_event() : NULL;
    return &filled;
}

static const portico_completion *fill_completion(void)
{
    static portico_completion filled;
    const uint32_t how = below(8);
    filled.timeout = below(16) == 0 ? 0 : 500;
    filled.ticket = how == 0 ? &made_ticket : NULL;
    filled.event = how == 1 ? any_event() : NULL;
    filled.steps = how == 2 || (how == 1 && below(16) == 0) ? any_steps() : NULL;
    filled.shaper = below(16) == 0 ? (uint8_t)below(16) : 0;
    filled.drained = below(8) == 0;
    return &filled;
}

static const portico_send_rows *fill_send_rows(void)
{
    static portico_send_rows filled;
    filled.address = number();
    filled.row = 8 * below(8);
    filled.rows = below(4);
    filled.stride = 8 * below(8);
    filled.each_row = below(2) == 1;
    return &filled;
}

static const portico_shape *fill_shape(void)
{
    static portico_shape filled;
    for (int at = 0; at < 40; at++) pairs[at].one = below(5), pairs[at].other = below(5);
    filled.kind = below(9);
    filled.number = below(5);
    filled.pairs = below(4) == 0 ? NULL : pairs;
    filled.count = below(40);
    return &filled;
}

static const portico_addresses *fill_addresses(void)
{
    static portico_addresses filled[2];
    static uint32_t each[2][40];
    static int turn;
    turn = !turn;
    for (int at = 0; at < 40; at++) each[turn][at] = 64 * below(16);
    filled[turn].same = 64 * below(24);
    filled[turn].each = below(2) == 0 ? each[turn] : NULL;
    filled[turn].count = below(8) == 0 ? below(40) : 4;
    return &filled[turn];
}

static unsigned succeeded[512];

static int open_fabrics(void)
{
    int open = 0;
    uint32_t bytes;
    for (int at = 0; at < HANDLES_KEPT; at++) open += portico_word_bytes(kept_fabric[at], &bytes) == PORTICO_OK;
    return open;
}

/* What no call may return, and what every failure has. */
static void check(unsigned which, const char *called, portico_status status)
{
    char text[1024];
    calls++;
    if (made_ticket) keep_ticket(made_ticket);
    made_ticket = NULL;
    if (status == PORTICO_OK) {
        succeeded[which]++;
        return;
    }
    portico_error_text(text, sizeof text);
    if (status >= PORTICO_BUSY || text[0] == 0) {
        printf("call %u, %s: %d: %s\n", calls, called, (int)status, text);
        exit(EXIT_FAILURE);
    }
}

