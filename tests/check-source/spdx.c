/* nobody */
#define X 1
