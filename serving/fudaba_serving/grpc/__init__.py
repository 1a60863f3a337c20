"""What every gRPC server of Fudaba does alike: who calls, how often, what is refused, and how it listens and stops."""
