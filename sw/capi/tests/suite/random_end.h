/* Opens another fabric in the place of the main one, with something of each type whose making seldom succeeds. */
static void begin(void)
{
    static const char config[] =
        "cols = 2\nrows = 2\nmpe = 4\nprobe = true\nstreams = true\ntile_ports = true\nportals = 4";
    const uint32_t tiles[4] = {0, 1, 2, 3};
    const portico_shape shape = {PORTICO_SHAPE_CENTRE, 0, NULL, 0};
    portico_region region;
    uint32_t index;
    portico_close(main_fabric);
    if (portico_open_golden(config, &main_fabric) != PORTICO_OK) exit(EXIT_FAILURE);
    portico_set_timeout(main_fabric, 2000);
    for (uint32_t tile = 0; tile < 4; tile++) portico_allocate(main_fabric, tile, 8192, &region);
    portico_comm_new(main_fabric, tiles, 4, &shape, &kept_comm[0]);
    portico_communicator_world(main_fabric, &shape, &kept_communicator[0]);
    portico_peers_new(main_fabric, tiles, 4, &kept_peers[0]);
    portico_ptl_set_map(main_fabric, tiles, 4);
    for (uint32_t kind = 0; kind < 2; kind++) {
        portico_ptl_ni_init(main_fabric, 0, kind, &kept_ptl_ni[kind]);
        portico_ptl_eq_alloc(main_fabric, kept_ptl_ni[kind], 64, &kept_ptl_eq[kind]);
        portico_ptl_pt_alloc(main_fabric, kept_ptl_ni[kind], 0, kept_ptl_eq[kind], 1, &index);
    }
}

int main(int count, char **arguments)
{
    unsigned begun = 0;
    /* Line by line: a call that ends the program does not hide the seed. */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    if (count > 1) state = strtoull(arguments[1], NULL, 0);
    if (state == 0) {
        printf("seed = 0 is not allowed: allowed is 1 to 0xffffffffffffffff\n");
        return EXIT_FAILURE;
    }
    printf("seed 0x%016" PRIx64 "\n", state);
    while (calls < CALLS) {
        if (calls / CALLS_OF_A_FABRIC == begun) {
            begin();
            begun++;
        }
        random_call(below(FUNCTIONS));
    }
    printf("%u calls; those that succeeded, by function\n", calls);
    for (int which = 0; which < FUNCTIONS; which++) if (succeeded[which]) printf("%d %u\n", which, succeeded[which]);
    for (int at = 0; at < HANDLES_KEPT; at++) portico_close(kept_fabric[at]);
    portico_close(main_fabric);
    return EXIT_SUCCESS;
}
