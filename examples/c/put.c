/* Tile 0 puts four words into the memory of tile 3, on the reference model: `make -C examples/c run`. */
#include <inttypes.h>
#include <portico.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program with the text of the error, if the call has failed. */
static void must(portico_status status)
{
    char text[512];
    if (status != PORTICO_OK) {
        portico_error_text(text, sizeof text);
        fprintf(stderr, "%s\n", text);
        exit(EXIT_FAILURE);
    }
}

int main(void)
{
    const uint32_t sent[4] = {10, 20, 30, 40};
    uint32_t found[4];
    portico_fabric *fabric;
    portico_window *window;
    portico_segment *segment;

    must(portico_open_golden("cols = 2\nrows = 2\n", &fabric));
    must(portico_write(fabric, 0, 0x100, sent, 4));

    /* Tile 3 opens 64 bytes of its memory, from 0x200 on, as a window. Tile 0 gets a segment for it. */
    must(portico_publish(fabric, 3, &(portico_publication){.base = 0x200, .bytes = 64}, &window));
    must(portico_clone_segment(fabric, 0, window, &segment));

    /* 16 bytes to offset 0 of the window, in at most 1000 cycles. */
    must(portico_put(fabric, segment, 0, 0x100, &(portico_geometry){.row = 16},
                     &(portico_completion){.timeout = 1000}));
    must(portico_read(fabric, 3, 0x200, found, 4));
    printf("tile 3 has %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", found[0], found[1], found[2], found[3]);
    must(portico_close(fabric));
    return EXIT_SUCCESS;
}
