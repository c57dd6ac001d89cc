# Installation comes with the library's front (src/bennu).
