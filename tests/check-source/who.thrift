/** Whose row key collides, its order is refused. */
service Orders {}
